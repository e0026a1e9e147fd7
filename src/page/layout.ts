// What stands around each page: the head, who has logged in, the ways to the other pages; the page to log in, and the one that says what failed.
import { hash } from 'node:crypto';
import { type Html, html, type Part } from './html.ts';
import { STYLE } from './style.ts';
import type { View, Visit } from './visit.ts';

/** The way to each list, in the order in which they stand. */
const WAYS: Readonly<Record<string, string>> = {
  '/': 'Overview',
  '/find': 'Find',
  '/validate': 'Validate',
  '/connections': 'Connections',
  '/accounts': 'Accounts',
  '/partners': 'Partners',
  '/logins': 'Logins',
  '/webhooks': 'Webhooks',
  '/network': 'Network',
  '/archive': 'Archive',
  '/audit': 'Audit',
};

/** Where the style stands; another style has another address, so that browsers may keep it. */
export const STYLE_PATH = `/page-${hash('sha256', STYLE).slice(0, 12)}.css`;
export const ICON_PATH = '/page-icon.svg';
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f5c"/><path d="M16 6v12m-5-5 5 5 5-5M8 18v6h16v-6" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

function whole(title: string, header: Part, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Dropgate</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header}
<main id="main" tabindex="-1">${body}</main>
</body>
</html>
`.toString();
}

const BRAND = html`<span class="brand"><img src="${ICON_PATH}" alt="" width="22" height="22">Dropgate</span>`;

/** `path`: of this page. */
export function framed({ title, body }: View, { operator, role, token }: Pick<Visit, 'operator' | 'role' | 'token'>, path: string): string {
  const ways = Object.entries(WAYS).map(
    ([to, text]) => html`<li><a href="${to}" ${to === path && html`aria-current="page"`}>${text}</a></li>`,
  );
  const header = html`<header>${BRAND}
<nav aria-label="Pages"><ul>${ways}</ul></nav>
<form method="post" action="/logout"><span>${operator} <small>may ${role}</small></span><input type="hidden" name="token" value="${token}"><button type="submit">Log out</button></form>
</header>`;
  return whole(title, header, body);
}

/** `failed`: why the last attempt came to nothing; `next`: where the page goes on. */
export function loginPage(failed: string | null, next: string): string {
  return whole(
    'Log in',
    html`<header>${BRAND}</header>`,
    html`<form class="login" method="post" action="/login"><h1>Log in</h1>
${failed !== null && html`<p class="failed" role="alert">${failed}</p>`}
<label>Operator<input name="operator" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus maxlength="64"></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required maxlength="1024"></label>
<label>Code of the authenticator, if one is asked of you<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="16"></label>
<input type="hidden" name="next" value="${next}">
<button type="submit">Log in</button>
<p class="note">Operators are added by <code>dropgate operator add</code>.</p></form>`,
  );
}

export function failedPage(sentence: string): string {
  const body = html`<h1>That did not work</h1><p class="failed" role="alert">${sentence}</p><p><a href="/">Overview</a></p>`;
  return whole('That did not work', html`<header>${BRAND}</header>`, body);
}
