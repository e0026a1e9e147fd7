// A step in front of the intake: what it does not judge is passed on.
import type { Intake } from '#gateway/model/intake.ts';

type Asked<Name extends keyof Intake> = Parameters<Intake[Name]>;
type Answer<Name extends keyof Intake> = ReturnType<Intake[Name]>;

export abstract class IntakeStep implements Intake {
  /** What comes after it. */
  protected readonly intake: Intake;

  constructor(intake: Intake) {
    this.intake = intake;
  }

  abstract open(...asked: Asked<'open'>): Answer<'open'>;
  abstract commit(...asked: Asked<'commit'>): Answer<'commit'>;
  abstract cancel(...asked: Asked<'cancel'>): Answer<'cancel'>;
  abstract abandon(...asked: Asked<'abandon'>): Answer<'abandon'>;
  abstract rename(...asked: Asked<'rename'>): Answer<'rename'>;
  abstract resend(...asked: Asked<'resend'>): Answer<'resend'>;

  grow(...asked: Asked<'grow'>): Answer<'grow'> {
    return this.intake.grow(...asked);
  }

  // What brings nothing in, or comes by no login.
  readonly view: Intake['view'] = (...asked) => this.intake.view(...asked);
  readonly find: Intake['find'] = (...asked) => this.intake.find(...asked);
  readonly where: Intake['where'] = (...asked) => this.intake.where(...asked);
  readonly touch: Intake['touch'] = (...asked) => this.intake.touch(...asked);
  readonly remove: Intake['remove'] = (...asked) => this.intake.remove(...asked);
  readonly take: Intake['take'] = (...asked) => this.intake.take(...asked);
  readonly reclaim: Intake['reclaim'] = (...asked) => this.intake.reclaim(...asked);
  readonly leave: Intake['leave'] = (session) => this.intake.leave(session);
}
