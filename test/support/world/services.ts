// What stands behind a gateway: a service that follows a script, one that follows the specification, or one that the test has started itself.
import type { ManualClock } from '../clock.ts';
import { type Script, type ScriptedOptions, type ScriptedService, startScriptedService } from '../scripted-service.ts';
import { type StandIn, type StandInOptions, startStandIn, workOf } from '../stand-in/stand-in.ts';

export interface Service {
  readonly url: string;
}

/** A service in a world. */
export interface Standing<Kind extends Service> {
  readonly service: Kind;
  /** Whether it is at work, or was since it was last asked. */
  readonly isBusy: () => boolean;
  readonly end: () => PromiseLike<void>;
}

export interface Beginning {
  readonly clock: ManualClock;
  readonly accounts: Readonly<Record<string, string>>;
}

export type StandsBehind<Kind extends Service> = (beginning: Beginning) => Promise<Standing<Kind>>;

/** Creates are accepted and lists are empty, unless a script says otherwise. */
export function scripted(script?: Script, options?: ScriptedOptions): StandsBehind<ScriptedService> {
  return async () => {
    const service = await startScriptedService(script, options);
    return { service, isBusy: () => false, end: () => service[Symbol.asyncDispose]() };
  };
}

/** With the accounts and the clock of the world, unless it has its own. */
export function standIn(options: Partial<StandInOptions> = {}): StandsBehind<StandIn> {
  return async (beginning) => {
    const service = await startStandIn({ ...beginning, ...options });
    return { service, isBusy: workOf(service), end: () => service[Symbol.asyncDispose]() };
  };
}

/** It was there before the world, and is there after it: a core, or a service that two gateways share. */
export function given<Kind extends Service>(service: Kind, isBusy = (): boolean => false): StandsBehind<Kind> {
  return async () => ({ service, isBusy, end: async () => undefined });
}
