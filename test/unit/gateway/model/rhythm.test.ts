// Which accounts are silent against their rhythm: single cases.
import { describe, expect, it } from 'vitest';
import { HISTORY_DAYS, Rhythms } from '#gateway/model/rhythm.ts';
import { DAY, HOUR, names, START, weeks } from '../../../support/rhythms.ts';

const silentAt = (rhythms: Rhythms, day: number, hour: number): string[] =>
  rhythms.silent(START + day * DAY + hour * HOUR).map(({ accountRegNo }) => accountRegNo);

describe('an account that sends every working day', () => {
  it('is told on the first day without a document, when others send and the hours in which it usually sends are over', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 85, (account, day) => account === 'account-3' && day === 84);
    expect(silentAt(rhythms, 84, 15)).toEqual([]);
    expect(rhythms.silent(START + 84 * DAY + 16 * HOUR)).toEqual([{ accountRegNo: 'account-3', sinceMs: START + 84 * DAY, missed: 1 }]);
  });

  it('is told of until it sends again, over a weekend too', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 110, (account, day) => account === 'account-3' && day >= 84);
    expect(silentAt(rhythms, 90, 12)).toEqual(['account-3']);
    expect(silentAt(rhythms, 109, 23)).toEqual(['account-3']);
    rhythms.arrived('account-3', START + 110 * DAY);
    expect(silentAt(rhythms, 110, 1)).toEqual([]);
  });

  it('is not told at weekends, nor on a day on which a third of the others is silent as well', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 88, (account, day) => ['account-1', 'account-3'].includes(account) && day === 87);
    expect(silentAt(rhythms, 83, 23)).toEqual([]);
    expect(silentAt(rhythms, 87, 20)).toEqual([]);
    expect(silentAt(rhythms, 88, 1)).toEqual([]);
  });

  it('is told on the fourth day on which nobody sends', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 84);
    expect(silentAt(rhythms, 86, 23)).toEqual([]);
    expect(silentAt(rhythms, 88, 0)).toEqual(names(6));
  });

  it('is told when the day is over where there are no others', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(1), 0, 84);
    expect(silentAt(rhythms, 84, 23)).toEqual([]);
    expect(silentAt(rhythms, 85, 0)).toEqual(['account-0']);
  });

  it('needs three silent days after it has missed one within the quarter', () => {
    const rhythms = Rhythms.begin(START);
    const isMissing = (account: string, day: number): boolean => account === 'account-3' && [84, 91, 92, 93].includes(day);
    weeks(rhythms, names(6), 0, 93, isMissing);
    expect(silentAt(rhythms, 92, 23)).toEqual([]);
    weeks(rhythms, names(6), 93, 94, isMissing);
    expect(silentAt(rhythms, 93, 23)).toEqual(['account-3']);
  });

  it('is not told again within the quarter when it came back on the same day, before it was silent for two weeks', () => {
    const rhythms = Rhythms.begin(START);
    const isMissing = (account: string, day: number): boolean => account === 'account-3' && (day === 84 || day > 88);
    weeks(rhythms, names(6), 0, 85, isMissing);
    expect(silentAt(rhythms, 84, 16)).toEqual(['account-3']);
    rhythms.arrived('account-3', START + 84 * DAY + 17 * HOUR);
    const again = new Rhythms(JSON.parse(JSON.stringify(rhythms.state)));
    const days: number[] = [];
    for (let day = 85; day < 110; day++) {
      weeks(again, names(6), day, day + 1, isMissing);
      if (silentAt(again, day, 20).includes('account-3')) days.push(day);
    }
    // Ten working days from day 91 on; since it once came so late, a day is missed when it is over.
    expect(days[0]).toBe(103);
  });
});

describe('rhythms', () => {
  it('are the same after they were written down and read', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 95, (account, day) => account === 'account-3' && day > 86);
    const again = new Rhythms(JSON.parse(JSON.stringify(rhythms.state)));
    expect(again.silent(START + 94 * DAY + 20 * HOUR)).toEqual(rhythms.silent(START + 94 * DAY + 20 * HOUR));
    expect(again.state).toEqual(rhythms.state);
  });

  it('are learnt anew after a time in which nobody listened, and forgotten with the account', () => {
    const rhythms = Rhythms.begin(START);
    weeks(rhythms, names(6), 0, 84);
    rhythms.keep((account) => account !== 'account-0');
    expect(Object.keys(rhythms.state.accounts)).toHaveLength(5);
    expect(silentAt(rhythms, 84 + HISTORY_DAYS + 1, 0)).toEqual([]);
  });
});
