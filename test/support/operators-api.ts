// A program that speaks to the API of operators.
import { OPERATOR_PASSWORD } from './page.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface ApiAsked {
  readonly operator?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it goes over the wire, in place of JSON of the input. */
  readonly raw?: string;
}

/** As `actor`, unless it is said. */
export async function askApi(url: string, name: string, input: unknown = {}, asked: ApiAsked = {}): Promise<ApiAnswer> {
  return answered(`${url}/api/${name}`, { method: 'POST', body: asked.raw ?? JSON.stringify(input) }, asked);
}

export function describedApi(url: string, asked: ApiAsked = {}): Promise<ApiAnswer> {
  return answered(`${url}/api/openapi.json`, {}, asked);
}

async function answered(address: string, init: RequestInit, asked: ApiAsked): Promise<ApiAnswer> {
  const { operator = 'actor', password = OPERATOR_PASSWORD, headers } = asked;
  const authorization = `Basic ${Buffer.from(`${operator}:${password}`).toString('base64')}`;
  const answer = await fetch(address, { ...init, headers: { authorization, 'content-type': 'application/json', ...headers } });
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}
