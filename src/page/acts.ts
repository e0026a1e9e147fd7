// What operators may do by the page. Each is asked for once more, in a sentence that says what it will do, and runs an operation in the operator's name.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Act } from './act.ts';
import { CHANGES_OF_ACCOUNTS } from './changes-of-accounts.ts';
import { CHANGES_OF_LOGINS } from './changes-of-logins.ts';
import { CHANGES_OF_PARTNERS } from './changes-of-partners.ts';
import { ROTATING } from './rotating.ts';
import { VERIFYING } from './verifying.ts';
import type { Visit } from './visit.ts';
import { address } from './words.ts';

const ofItem = (item: string): string => address('/document', { kind: 'dropped', id: item });
const ofReceived = (id: string): string => address('/document', { kind: 'received', id });

const ofWebhook = (id: string): string => address('/webhook', { id });
const ofTurnedAway = (id: string): string => address('/turned-away', { id });
const ofTransmission = (id: string): string => address('/transmission', { id });

const RESENDING: Readonly<Record<AnswerOf<'item'>['state'], string>> = {
  held: 'It is held no longer, and goes its way again. Where it was tried before, the service is asked first whether it has it, so that it is not sent twice.',
  refused: 'Its original is taken out of refused/ and sent as a new item. If nothing has changed, it will be refused again.',
  cancelled: 'Its original is taken out of refused/ and sent as a new item.',
  accepted: 'A copy of its original is sent as a new item, because the network has refused the first one.',
  pending: 'It is under way already, and nothing will be done.',
};

const SENDING_AGAIN: Omit<Act, 'label'> = {
  from: ofItem,
  async says({ ask }, item) {
    const { fileName, state } = await ask('item', { item });
    return `${fileName}: ${RESENDING[state]}`;
  },
  async run({ ask }, item) {
    const { sent } = await ask('resend', { item });
    return { to: ofItem(sent[0] ?? item) };
  },
};

/** What a button names by two ids: the first has no slash in it. */
function pairIn(id: string): readonly [string, string] {
  const [first = ''] = id.split('/', 1);
  return [first, id.slice(first.length + 1)];
}

function receiptIn(id: string): { readonly item: string; readonly receipt: string } {
  const [item, receipt] = pairIn(id);
  return { item, receipt };
}

interface Switched {
  readonly kind: string;
  /** The page that shows one. */
  readonly place: string;
  readonly disabling: (id: string) => string;
  readonly enabling: (id: string) => string;
  readonly run: (visit: Visit, verb: 'disable' | 'enable', id: string) => Promise<unknown>;
}

/** `disable-KIND` and `enable-KIND`. */
function switching({ kind, place, disabling, enabling, run }: Switched): Readonly<Record<string, Act>> {
  const from = (id: string): string => address(place, { id });
  const act = (verb: 'disable' | 'enable', label: string, says: (id: string) => string): Act => ({
    label: `${label} the ${kind}`,
    from,
    says: async (_visit, id) => says(id),
    async run(visit, id) {
      await run(visit, verb, id);
      return { to: from(id) };
    },
  });
  return { [`disable-${kind}`]: act('disable', 'Disable', disabling), [`enable-${kind}`]: act('enable', 'Enable', enabling) };
}

/** Two acts: what was waiting when it was asked, and was tried and held meanwhile, is not cancelled by an answer to another question. */
function cancelling(tried: boolean): Act {
  const warning = tried ? ' It was tried, and the service may have it: do this only when somebody has looked there.' : '';
  return {
    label: 'Cancel',
    from: ofItem,
    async says({ ask }, item) {
      const { fileName } = await ask('item', { item });
      return `${fileName}: it is not sent any more. A receipt says so to its sender, and the original goes to refused/.${warning}`;
    },
    async run({ ask }, item) {
      await ask('cancel', { item, tried });
      return { to: ofItem(item) };
    },
  };
}

export const ACTS: Readonly<Record<string, Act>> = {
  resend: { label: 'Send again', ...SENDING_AGAIN },
  release: { label: 'Release', ...SENDING_AGAIN },
  'release-all': {
    label: 'Release all',
    from: (accountRegNo) => address('/find', { state: 'held', account: accountRegNo }),
    async says({ ask }, accountRegNo) {
      const held = await ask('items', { states: ['held'], accountRegNo, limit: 1_000 });
      return `${held.length === 1_000 ? '1000 or more' : held.length} held files of account ${accountRegNo} are put on their way again, the oldest first. The service is asked first whether it has those that were tried.`;
    },
    async run({ ask }, accountRegNo) {
      await ask('resend', { accountRegNo });
      return { to: address('/find', { account: accountRegNo }) };
    },
  },
  cancel: cancelling(false),
  'cancel-tried': cancelling(true),
  download: {
    label: 'Download',
    from: ofItem,
    async says({ ask }, item) {
      const { fileName } = await ask('item', { item });
      return `${fileName} is handed to your browser as it came. That you have taken it is written down.`;
    },
    async run({ ask }, item) {
      const { fileName, document } = await ask('document', { item });
      return { fileName, bytes: Buffer.from(document, 'base64') };
    },
  },
  'download-receipt': {
    label: 'Download the receipt',
    from: (id) => ofItem(receiptIn(id).item),
    says: async (_visit, id) =>
      `${receiptIn(id).receipt} is handed to your browser as its sender finds it. That you have taken it is written down.`,
    async run({ ask }, id) {
      const { fileName, document } = await ask('document', receiptIn(id));
      return { fileName, bytes: Buffer.from(document, 'base64') };
    },
  },
  'download-received': {
    label: 'Download',
    from: ofReceived,
    says: async () =>
      'The document is handed to your browser as it lies in the outbox. That you have taken it is written down; the outbox stays as it is.',
    async run({ ask }, integrationId) {
      const { fileName, document } = await ask('received', { integrationId });
      return { fileName, bytes: Buffer.from(document, 'base64') };
    },
  },
  'download-turned-away': {
    label: 'Download',
    from: ofTurnedAway,
    says: async () => 'The document that was turned away is handed to your browser. That you have taken it is written down.',
    async run({ ask }, id) {
      const { instanceId, document } = await ask('network.document', { instanceId: id });
      return { fileName: `${instanceId}.xml`, bytes: Buffer.from(document, 'base64') };
    },
  },
  redeliver: {
    label: 'Put into the outbox again',
    from: ofReceived,
    says: async () =>
      'The document is fetched from the service and put into the outbox once more, under a new name. Its receiver will see it twice.',
    async run({ ask }, integrationId) {
      await ask('redeliver', { integrationId });
      return { to: ofReceived(integrationId) };
    },
  },
  'mark-unread': {
    label: 'Mark unread',
    from: ofReceived,
    says: async () => 'The service hands the document out as unread again, to others that read there. The outbox here stays as it is.',
    async run({ ask }, integrationId) {
      await ask('mark-unread', { integrationId });
      return { to: ofReceived(integrationId) };
    },
  },
  ...switching({
    kind: 'account',
    place: '/account',
    disabling: (id) => `Logins no longer see account ${id}, and its API keys are refused. Nothing is deleted; enabling it undoes this.`,
    enabling: (id) => `Account ${id} is served again, and its API keys are taken.`,
    run: ({ ask }, verb, accountRegNo) => ask(`account.${verb}`, { accountRegNo }),
  }),
  ...switching({
    kind: 'partner',
    place: '/partner',
    disabling: (id) => `Partner ${id} may do nothing and hears nothing, at once. Nothing is deleted; enabling it undoes this.`,
    enabling: (id) => `Partner ${id} may act for its accounts again.`,
    run: ({ ask }, verb, partnerRegNo) => ask(`partner.${verb}`, { partnerRegNo }),
  }),
  ...switching({
    kind: 'login',
    place: '/login-of',
    disabling: (id) => `Nobody gets in by login ${id}, and its sessions end. It keeps what it has; enabling it undoes this.`,
    enabling: (id) => `Login ${id} gets in again.`,
    run: ({ ask }, verb, login) => ask(`login.${verb}`, { login }),
  }),
  ...switching({
    kind: 'webhook',
    place: '/webhook',
    disabling: () => 'Nothing more is posted, and events that wait are given up. Its holder, too, may enable it again.',
    enabling: () => 'Events are posted again, from now on.',
    run: ({ ask }, verb, id) => ask(`webhook.${verb}`, { id }),
  }),
  replay: {
    label: 'Send again what was given up',
    from: ofWebhook,
    async says({ ask }, id) {
      const { dead, host } = await ask('webhook.show', { id });
      return `${counted(dead, 'event that was', 'events that were')} given up: posted to ${host} again, the oldest first.`;
    },
    async run({ ask }, webhookId) {
      await ask('webhook.replay', { eventIds: [], webhookId });
      return { to: ofWebhook(webhookId) };
    },
  },
  'replay-one': {
    label: 'Send it again',
    from: (id) => ofWebhook(pairIn(id)[0]),
    async says({ ask }, id) {
      const [webhook, event] = pairIn(id);
      const { host } = await ask('webhook.show', { id: webhook });
      return `Event ${event} is posted to ${host} again; the others stay given up.`;
    },
    async run({ ask }, id) {
      const [webhook, event] = pairIn(id);
      await ask('webhook.replay', { eventIds: [event] });
      return { to: ofWebhook(webhook) };
    },
  },
  retry: {
    label: 'Try again',
    from: ofTransmission,
    says: async () => 'It is handed to the access point again. Its sender hears of it by further receipts.',
    async run({ ask }, instanceId) {
      const [retried] = await ask('transmission.retry', { instanceIds: [instanceId] });
      return { to: ofTransmission(retried?.instanceId ?? instanceId) };
    },
  },
  ...CHANGES_OF_ACCOUNTS,
  ...CHANGES_OF_LOGINS,
  ...CHANGES_OF_PARTNERS,
  ...ROTATING,
  ...VERIFYING,
};
