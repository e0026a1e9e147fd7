// The page of the admin listener: plain pages made here, for operators who have logged in; no script, and nothing from elsewhere.
import cookie from '@fastify/cookie';
import type { Readiness } from '#admin/readiness.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { type InputOf, isAnswerOf, type OperationName } from '#operations/table.ts';
import type { AddTogether } from '#runtime/auth/slow-guessing.ts';
import type { HttpReply, HttpRequest, HttpServer } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import { plainAddress } from '#runtime/networks.ts';
import { type Act, question } from './act.ts';
import { ACTS } from './acts.ts';
import { addApi } from './api.ts';
import { archive } from './archive.ts';
import { audit } from './audit.ts';
import { connections } from './connections.ts';
import { document } from './document.ts';
import { find } from './find.ts';
import { type Failed, type Gate, type Known, openGate } from './gate.ts';
import { failedPage, framed, ICON, ICON_PATH, loginPage, STYLE_PATH } from './layout.ts';
import { network, transmission, turnedAway } from './network.ts';
import { overview } from './overview.ts';
import { account, accounts, login, logins, partner, partners } from './parties.ts';
import { cookieName, fieldsOf, HEADERS, mustMayAct, queryOf, type RunOperation, refuseForeign, STATUS, sendFile } from './requests.ts';
import { isSame } from './session.ts';
import { STYLE } from './style.ts';
import { takeUploads, uploadIn } from './upload.ts';
import { judged, validate } from './validate.ts';
import type { Look, View, Visit } from './visit.ts';
import { webhook, webhooks } from './webhooks.ts';

interface PageParts {
  readonly gateway: Administration;
  readonly readiness: Readiness;
  readonly run: RunOperation;
  /** Where nodes count the penalties of failed logins together. */
  readonly addTogether?: AddTogether | undefined;
  readonly log: Log;
}

/** By their paths. */
export const PAGES: Readonly<Record<string, Look>> = {
  '/': overview,
  '/find': find,
  '/validate': validate,
  '/document': document,
  '/connections': connections,
  '/accounts': accounts,
  '/account': account,
  '/partners': partners,
  '/partner': partner,
  '/logins': logins,
  '/login-of': login,
  '/webhooks': webhooks,
  '/webhook': webhook,
  '/network': network,
  '/transmission': transmission,
  '/turned-away': turnedAway,
  '/archive': archive,
  '/audit': audit,
};

/** What a login that failed is told. */
const FAILED: Readonly<Record<Failed, { readonly status: number; readonly says: (operator: string) => string }>> = {
  wrong: { status: 403, says: () => 'The operator, the password or the code is wrong.' },
  banned: { status: 429, says: () => 'Too many attempts from this address. Try again in a few minutes.' },
  'code-lost': {
    status: 403,
    says: (operator) =>
      `The key file was replaced since: the code of ${operator} is to be set anew, by \`dropgate operator set ${operator} --totp\` on the machine.`,
  },
};

const FORM_BYTES_MAX = 8 * 1_024;
const STYLE_KEPT = 'public, max-age=31536000, immutable';

/** Adds the page to a server, and the API beside it. */
export async function addPage(server: HttpServer, parts: PageParts, isTls: boolean): Promise<void> {
  const { gateway, run, log, addTogether } = parts;
  const gate = openGate(gateway, gateway.seal.derive('sessions of operators'), log, addTogether);
  await server.register((page, _options, done) => {
    void page.register(cookie);
    new Pages(parts, gate, isTls).addTo(page);
    done();
  });
  await addApi(server, { gate, run, log, isTls });
}

class Pages {
  readonly #parts: PageParts;
  readonly #isTls: boolean;
  readonly #gate: Gate;

  constructor(parts: PageParts, gate: Gate, isTls: boolean) {
    this.#parts = parts;
    this.#gate = gate;
    this.#isTls = isTls;
  }

  addTo(page: HttpServer): void {
    page.addContentTypeParser(
      ['application/x-www-form-urlencoded'],
      { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    page.addHook('onRequest', async (request, reply) => {
      void reply.headers(HEADERS);
      refuseForeign(request, this.#isTls);
    });
    page.setErrorHandler((error, _request, reply) => this.#sayFailed(error, reply));
    page.get(STYLE_PATH, (_request, reply) => reply.type('text/css; charset=utf-8').header('cache-control', STYLE_KEPT).send(STYLE));
    page.get(ICON_PATH, (_request, reply) => reply.type('image/svg+xml').header('cache-control', STYLE_KEPT).send(ICON));
    page.get('/login', async (request, reply) => send(reply, loginPage(null, placeIn(queryOf(request).get('next')))));
    page.post('/login', (request, reply) => this.#login(request, reply));
    page.post('/logout', (request, reply) => this.#logout(request, reply));
    for (const [path, look] of Object.entries(PAGES)) page.get(path, (request, reply) => this.#show(request, reply, path, look));
    page.get<{ Params: { act: string } }>('/act/:act', (request, reply) => this.#ask(request, reply, request.params.act));
    void page.register((uploads, _options, done) => {
      takeUploads(uploads);
      // Before a long body is read.
      const onRequest = async (request: HttpRequest, reply: HttpReply) =>
        (await this.#known(request)) ? undefined : toLogin(request, reply);
      uploads.post('/validate', { onRequest }, (request, reply) => this.#validate(request, reply));
      done();
    });
    page.post<{ Params: { act: string } }>('/act/:act', (request, reply) => this.#act(request, reply, request.params.act));
  }

  async #login(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const fields = fieldsOf(request);
    const given = (name: string): string => fields.get(name) ?? '';
    const next = given('next');
    const login = await this.#gate.login(plainAddress(request.ip), {
      operator: given('operator'),
      password: given('password'),
      code: given('code'),
    });
    if ('cookie' in login) {
      this.#setCookie(reply, login.cookie);
      return reply.redirect(placeIn(next), 303);
    }
    const { status, says } = FAILED[login.failed];
    return send(reply.status(status), loginPage(says(given('operator')), placeIn(next)));
  }

  async #logout(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const known = await this.#known(request);
    if (known) {
      mustHaveToken(fieldsOf(request).get('token'), known);
      await this.#gate.logout(known.row.operator);
      this.#parts.log.info({ event: 'admin.logout', operator: known.row.operator });
    }
    void reply.clearCookie(cookieName(this.#isTls), this.#cookieOptions());
    return reply.redirect('/login', 303);
  }

  async #show(request: HttpRequest, reply: HttpReply, path: string, look: Look): Promise<HttpReply> {
    const known = await this.#known(request);
    if (!known) return toLogin(request, reply);
    if (known.cookie !== undefined) this.#setCookie(reply, known.cookie);
    return this.#frame(reply, known, path, await look(this.#visit(request, known)));
  }

  /** Asks once more whether it is to be done. */
  async #ask(request: HttpRequest, reply: HttpReply, name: string): Promise<HttpReply> {
    const known = await this.#known(request);
    if (!known) return toLogin(request, reply);
    const act = actNamed(name, known);
    const visit = this.#visit(request, known);
    return this.#frame(reply, known, '', await question(visit, name, act, visit.query.get('id') ?? ''));
  }

  async #act(request: HttpRequest, reply: HttpReply, name: string): Promise<HttpReply> {
    const known = await this.#known(request);
    if (!known) return toLogin(request, reply);
    const fields = fieldsOf(request);
    mustHaveToken(fields.get('token'), known);
    const given = (field: string): string => (fields.get(field) ?? '').trim();
    const done = await actNamed(name, known).run(this.#visit(request, known), fields.get('id') ?? '', given);
    if ('once' in done) return this.#frame(reply, known, '', done.once);
    return 'to' in done ? reply.redirect(done.to, 303) : sendFile(reply, done.fileName, done.bytes);
  }

  /** Nothing is changed by it, and nothing kept; by a form of this session all the same. */
  async #validate(request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    const known = await this.#known(request);
    if (!known) return toLogin(request, reply);
    const { token, shown } = await uploadIn(request);
    mustHaveToken(token, known);
    return this.#frame(reply, known, '/validate', await judged(this.#visit(request, known), shown));
  }

  async #known(request: HttpRequest): Promise<Known | undefined> {
    const given = request.cookies[cookieName(this.#isTls)];
    return given === undefined ? undefined : this.#gate.known(given);
  }

  #visit(request: HttpRequest, { row: { operator, role }, token }: Known): Visit {
    const { gateway, readiness, run } = this.#parts;
    const who = `${operator} by the page, from ${plainAddress(request.ip)}`;
    async function ask<Name extends OperationName>(name: Name, input: InputOf<Name>) {
      const answer = await run(name, input, who);
      if (isAnswerOf(name, answer)) return answer;
      throw new AppError('internal', `The operation ${name} has no answer.`);
    }
    return { operator, role, token, query: queryOf(request), nowMs: gateway.clock.now(), look: () => readiness.look(), ask };
  }

  #frame(reply: HttpReply, { row: { operator, role }, token }: Known, path: string, view: View): HttpReply {
    return send(reply, framed(view, { operator, role, token }, path));
  }

  #setCookie(reply: HttpReply, text: string): void {
    void reply.setCookie(cookieName(this.#isTls), text, this.#cookieOptions());
  }

  #cookieOptions() {
    return { httpOnly: true, sameSite: 'strict', secure: this.#isTls, path: '/' } as const;
  }

  #sayFailed(error: unknown, reply: HttpReply): HttpReply {
    const { code, message, cause } = toAppError(error);
    const given = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
    const status = given ?? STATUS[code] ?? 500;
    if (status >= 500) this.#parts.log.error({ event: 'admin.failed', err: cause ?? error });
    return send(reply.status(status), failedPage(given === undefined ? message : 'The request cannot be read.'));
  }
}

function send(reply: HttpReply, text: string): HttpReply {
  return reply.type('text/html; charset=utf-8').send(text);
}

function toLogin({ method, url }: HttpRequest, reply: HttpReply): HttpReply {
  const next = placeIn(method === 'GET' ? url : '/');
  return reply.redirect(next === '/' ? '/login' : `/login?${new URLSearchParams({ next })}`, 303);
}

/** Where the page goes on: one of its own places, whatever is given. */
function placeIn(text: string | null | undefined): string {
  const base = 'http://localhost';
  if (text == null || !URL.canParse(text, base)) return '/';
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && Object.hasOwn(PAGES, pathname) ? `${pathname}${search}` : '/';
}

/** Throws `missing`, and `forbidden` for an operator who may only look where it is not for all. */
function actNamed(name: string, { row: { role } }: Known): Act {
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (!act) throw new AppError('missing', 'There is no such button.');
  if (act.isForAll !== true) mustMayAct(role);
  return act;
}

/** Throws `forbidden` for a form that is not of this session. */
function mustHaveToken(given: string | null, { token }: Known): void {
  if (isSame(given ?? '', token)) return;
  throw new AppError('forbidden', 'The form is of another session: go back, load the page again, and repeat it.');
}
