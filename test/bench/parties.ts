// The accounts of the benches: one seller, who uploads, and buyers, each with a participant of its own.
import { glnCheckDigit } from '#domain/participant.ts';
import type { DaemonAccount } from '../support/daemon.ts';
import { SELLER } from '../support/documents.ts';

export const LOGIN = 'erp';

export function sellerAndBuyers(count: number): DaemonAccount[] {
  const buyers = Array.from({ length: count }, (_, at) => ({
    accountRegNo: buyer(at),
    participants: [participantOfBuyer(at)],
    login: buyer(at),
  }));
  return [{ accountRegNo: 'seller', participants: [SELLER], login: LOGIN }, ...buyers];
}

export function buyer(at: number): string {
  return `buyer-${at}`;
}

export function participantOfBuyer(at: number): string {
  const number = String(735_000_000_100 + at);
  return `0088:${number}${glnCheckDigit(number)}`;
}
