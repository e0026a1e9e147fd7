// Partners as `dropgate export` declares them: what the core knows of them, the gateway, or both.

import type { DeclaredChild, DeclaredPartner } from './declaration.ts';
import { type Known, numbersOf, type PartnerHere } from './known.ts';

/** `hasCore`: a core beside the gateway declares the addresses of accounts. */
export function declaredPartners({ partnersInCore: inCore, partnersHere: here, logins }: Known, hasCore: boolean): DeclaredPartner[] {
  /** In which folder a login sees a home; undefined when it does not. */
  const folderIn = (login: string | null, home: string): string | undefined =>
    logins.find((each) => each.login === login)?.homes.find((each) => each.home === home)?.folder;

  /** Who sees a child, where that is not the usual: the partner's login. */
  function seen({ consolidated, login }: PartnerHere, home: string): Pick<DeclaredChild, 'folder' | 'login'> {
    if (consolidated) return {};
    const folder = folderIn(login, home);
    if (folder !== undefined) return { folder };
    const other = logins.find(({ homes }) => homes.some((each) => each.home === home));
    const otherFolder = folderIn(other?.login ?? null, home);
    return { login: other?.login ?? null, ...(otherFolder && { folder: otherFolder }) };
  }

  return numbersOf('partnerRegNo', inCore, here).map((partnerRegNo): DeclaredPartner => {
    const named = inCore.find((partner) => partner.partnerRegNo === partnerRegNo);
    const known = here.find((partner) => partner.partnerRegNo === partnerRegNo);
    const childOf = (accountRegNo: string): string | DeclaredChild => {
      const child = known?.children.find((each) => each.accountRegNo === accountRegNo);
      if (!known) return accountRegNo;
      if (!child) return { accountRegNo, here: false };
      const linked = child.state !== 'unlinked' && (!named || named.accounts.includes(accountRegNo));
      const addresses = hasCore || child.participants.length === 0 ? {} : { participants: [...child.participants] };
      const said = { ...seen(known, accountRegNo), ...addresses, ...(!linked && { linked }) };
      return Object.keys(said).length === 0 ? accountRegNo : { accountRegNo, ...said };
    };
    const isTold = !hasCore || known?.login != null || known?.consolidated;
    const children = new Set([...(named?.accounts ?? []), ...(known?.children ?? []).map(({ accountRegNo }) => accountRegNo)]);
    return {
      partnerRegNo,
      ...(named && { name: named.name }),
      ...(named?.enabled === false && { enabled: false }),
      ...(named?.requestsMax != null && { requests: named.requestsMax }),
      ...(named?.childrenMax != null && { childrenMax: named.childrenMax }),
      ...(known && !isTold && { here: true }),
      ...(known?.consolidated && { consolidated: true }),
      ...(known?.login && { login: known.login }),
      accounts: [...children].sort().map(childOf),
    };
  });
}
