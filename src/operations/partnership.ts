// A partner across both ledgers: in the core beside us its number, key and links; at the gateway its key, and the children that act through it.
import {
  accountParticipants,
  addPartner,
  issuePartnerKey,
  linkPartner,
  removePartner,
  rotatePartnerKey,
  unlinkPartner,
  updateCorePartner,
} from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { addLogin, type NewLogin, removeLoginHome } from '#gateway/operate/logins.ts';
import {
  removePartner as forgetPartner,
  type LinkedChild,
  linkChild,
  listPartners,
  type NewChild,
  type NewPartner as PartnerAtGateway,
  putPartner,
  setParticipants,
  unlinkChild,
} from '#gateway/operate/partners.ts';
import { coreOf, gatewayOf, type Ledgers } from './installation.ts';
import { loginHere, partnerHere, partnerInCore } from './known.ts';

interface NewPartner {
  readonly partnerRegNo: string;
  readonly name: string;
  /** One home for all its children. */
  readonly consolidated: boolean;
  /** The login that sees its children; null when it uses the API only. */
  readonly login: string | null;
  /** What makes the login, when it is not there yet. */
  readonly credentials: Omit<NewLogin, 'login'> | null;
  /** Its API key at a remote service; null where the core is beside us. */
  readonly serviceKey: string | null;
}

/** Adds the partner and returns the API key that was made for it; null when it came from a remote service. Throws `usage`, `exists`. */
export async function createPartner(ledgers: Ledgers, partner: NewPartner): Promise<string | null> {
  const { partnerRegNo, consolidated, login, credentials, serviceKey } = partner;
  if (login !== null && credentials) await addLogin(gatewayOf(ledgers), { login, ...credentials });
  const here = { partnerRegNo, consolidated, ...(login !== null && { login }) };
  if (serviceKey !== null) {
    await putPartner(gatewayOf(ledgers), { ...here, serviceKey });
    return null;
  }
  const core = coreOf(ledgers);
  const { apiKey } = await addPartner(core, partner);
  if (consolidated || login !== null) {
    await putPartner(gatewayOf(ledgers), { ...here, serviceKey: await issuePartnerKey(core, partnerRegNo) });
  }
  return apiKey;
}

/** Lets the partner act for the account, wherever that is known; null when it does so by the API only. Doing it again changes nothing. */
export async function linkAccount(ledgers: Ledgers, child: NewChild): Promise<LinkedChild | null> {
  const { core, gateway } = ledgers;
  const { partnerRegNo, accountRegNo } = child;
  if (core) await linkPartner(core, partnerRegNo, accountRegNo);
  const isAsked = child.login !== undefined || child.folder !== undefined;
  if (!gateway && !isAsked) return null;
  const here = gatewayOf(ledgers);
  const known = await partnerHere(ledgers, partnerRegNo);
  const usual = known?.login ?? (await loginHere(ledgers, partnerRegNo))?.login;
  const login = child.login === undefined ? usual : child.login;
  if (child.folder !== undefined && login == null) {
    throw new AppError('usage', `Nobody would see the folder: give --login, the login of partner ${partnerRegNo}.`);
  }
  if (core && !known) {
    if (login == null) return null;
    await putPartner(here, { partnerRegNo, serviceKey: await issuePartnerKey(core, partnerRegNo), login });
  }
  const participants = child.participants ?? (await participantsOf(ledgers, accountRegNo));
  return linkChild(here, { ...child, ...(login !== undefined && { login }), ...(participants && { participants }) });
}

/** The addresses of an account of the core beside us; undefined where there is none, and only an administrator can say. */
async function participantsOf({ core }: Ledgers, accountRegNo: string): Promise<readonly string[] | undefined> {
  return core ? accountParticipants(core, accountRegNo) : undefined;
}

/** The gateway holds a partner's child to the addresses that the core beside us knows. */
export async function tellParticipants(ledgers: Ledgers, accountRegNo: string): Promise<void> {
  const { gateway } = ledgers;
  const children = gateway ? (await listPartners(gateway)).flatMap((partner) => partner.children) : [];
  const participants = children.some((child) => child.accountRegNo === accountRegNo) && (await participantsOf(ledgers, accountRegNo));
  if (participants) await setParticipants(gatewayOf(ledgers), accountRegNo, participants);
}

interface EnsuredPartner extends PartnerAtGateway {
  readonly name?: string;
  /** The gateway acts for its children, even if nobody sees them here. */
  readonly here?: boolean;
}

/** Makes the partner, wherever it is not there, and changes what is given. Returns the API key that was made; null when none was. */
export async function ensurePartner(
  ledgers: Ledgers,
  { name, here = false, serviceKey, ...partner }: EnsuredPartner,
): Promise<string | null> {
  const { core } = ledgers;
  const { partnerRegNo, consolidated, login } = partner;
  const isKnown = (await partnerHere(ledgers, partnerRegNo)) !== undefined;
  const inCore = await partnerInCore(ledgers, partnerRegNo);
  if (core && !inCore && name === undefined) throw new AppError('usage', `Partner ${partnerRegNo} needs a name.`);
  const apiKey = core && !inCore ? (await addPartner(core, { partnerRegNo, name: name ?? partnerRegNo })).apiKey : null;
  if (core && inCore && name !== undefined && name !== inCore.name) await updateCorePartner(core, partnerRegNo, { name });
  if (isKnown || here || !core || consolidated === true || login !== undefined) {
    const made = core && !isKnown ? await issuePartnerKey(core, partnerRegNo) : serviceKey;
    await putPartner(gatewayOf(ledgers), { ...partner, ...(made !== undefined && !isKnown && { serviceKey: made }) });
  }
  return apiKey;
}

/** Links a child of a partner that is there: here too, where the gateway acts for the partner. */
export async function ensureChild(ledgers: Ledgers, child: NewChild, isHere: boolean): Promise<void> {
  if (isHere && (await partnerHere(ledgers, child.partnerRegNo))) await linkAccount(ledgers, child);
  else await linkPartner(coreOf(ledgers), child.partnerRegNo, child.accountRegNo);
}

/** An account that the partner may act for no more, and that keeps its folder and addresses here. */
export async function ensureUnlinked(ledgers: Ledgers, child: NewChild): Promise<void> {
  const { core } = ledgers;
  const gateway = gatewayOf(ledgers);
  const { partnerRegNo, accountRegNo } = child;
  const known = await partnerHere(ledgers, partnerRegNo);
  const state = known?.children.find((each) => each.accountRegNo === accountRegNo)?.state;
  if (state === 'unlinked') return;
  const isLinked = (await partnerInCore(ledgers, partnerRegNo))?.accounts.includes(accountRegNo);
  if (core && isLinked) await unlinkPartner(core, partnerRegNo, accountRegNo);
  const participants = child.participants ?? (await participantsOf(ledgers, accountRegNo));
  if (!state) await linkChild(gateway, { ...child, ...(participants && { participants }) });
  await unlinkChild(gateway, partnerRegNo, accountRegNo, child.login ?? known?.login ?? partnerRegNo);
}

interface Unlinked {
  /** The login that saw the account, or the partner's children; null when none did. */
  readonly login: string | null;
  /** Files that wait, and are held now. */
  readonly waiting: number;
}

/** The partner may act for the account no more, wherever that was known. Throws `missing`. */
export async function unlinkAccount(ledgers: Ledgers, partnerRegNo: string, accountRegNo: string, given?: string): Promise<Unlinked> {
  const { core, gateway } = ledgers;
  if (core) await unlinkPartner(core, partnerRegNo, accountRegNo);
  if (!gateway) return { login: null, waiting: 0 };
  const known = await partnerHere(ledgers, partnerRegNo);
  const login = given ?? known?.login ?? partnerRegNo;
  const child = known?.children.find((each) => each.accountRegNo === accountRegNo && each.state !== 'unlinked');
  if (child) {
    const { waiting, hidden } = await unlinkChild(gateway, partnerRegNo, accountRegNo, login);
    return { login: hidden ? login : null, waiting };
  }
  if (!core) throw new AppError('missing', `Account ${accountRegNo} is no child of partner ${partnerRegNo} here.`);
  return { login: (await removeLoginHome(gateway, login, accountRegNo)) ? login : null, waiting: 0 };
}

/** The partner acts for nobody any more, and is forgotten. Repeated, it goes on where it was stopped. Throws `missing`, `locked`. */
export async function removePartnership(ledgers: Ledgers, partnerRegNo: string): Promise<Unlinked> {
  const here = await partnerHere(ledgers, partnerRegNo);
  const inCore = await partnerInCore(ledgers, partnerRegNo);
  if (!here && !inCore) throw new AppError('missing', `There is no partner ${partnerRegNo}; 'dropgate partner list' shows all.`);
  let waiting = 0;
  for (const { accountRegNo, state } of here?.children ?? []) {
    if (state === 'unlinked') continue;
    waiting += (await unlinkChild(gatewayOf(ledgers), partnerRegNo, accountRegNo, here?.login ?? partnerRegNo)).waiting;
  }
  const login = here ? await forgetPartner(gatewayOf(ledgers), partnerRegNo) : null;
  if (inCore) await removePartner(coreOf(ledgers), partnerRegNo);
  return { login, waiting };
}

/** A new API key of a partner of the core beside us; the gateway takes one of its own. Throws `missing`. */
export async function rotateKeyOf(ledgers: Ledgers, partnerRegNo: string, graceMs: number): Promise<string> {
  const core = coreOf(ledgers);
  const apiKey = await rotatePartnerKey(core, partnerRegNo, graceMs);
  if (await partnerHere(ledgers, partnerRegNo))
    await putPartner(gatewayOf(ledgers), { partnerRegNo, serviceKey: await issuePartnerKey(core, partnerRegNo) });
  return apiKey;
}
