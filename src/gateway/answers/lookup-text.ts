// What the folder `lookup` tells of an address, in words that a person reads: the first line says it, in one of the ways that READ_ME tells.
import { isoTime } from '#domain/day.ts';
import { visible } from '#domain/visible.ts';
import type { ReceiverAnswer } from '#gateway/service/receivers.ts';

const LINE_LENGTH_MAX = 500;
const LINES_MAX = 100;

type Lines = readonly (readonly [name: string, text: string | null])[];

/** `atMs`: when it was asked. */
export function lookupText(address: string, answer: ReceiverAnswer, atMs: number): string {
  return textOf([...linesOf(answer), ['address', address], ['asked at', isoTime(atMs)]]);
}

/** A name that is no address. */
export function noAddressText(name: string): string {
  return textOf([
    ['can receive', 'no address'],
    ['why', `'${name}' is no address: ask for SCHEME:VALUE.txt with four digits before the colon, for example 0208:0123456749.txt.`],
  ]);
}

/** A login that has asked too much. As a text, for to programs that look for a file first an error is a file that is not there. */
export function notAskedText(address: string, { burst, perSecond }: { readonly burst: number; readonly perSecond: number }): string {
  return textOf([
    ['can receive', 'not asked'],
    ['why', `This login asks for too many receivers: it may ask for ${burst} at once, then for one more every ${1 / perSecond} seconds.`],
    ['what to do', 'Ask again in a minute. This is no no.'],
    ['address', address],
  ]);
}

export const READ_ME = `Ask whether a receiver can receive by getting a file of its address: get lookup/0208:0123456749.txt

Nothing lies in this folder; the file is written when you get it. Where your program cannot have a colon in a name, write
get "lookup/0208:0123456749.txt" answer.txt, or get lookup/0208-0123456749.txt. Its first line is one of:

can receive: yes              Families follow, with their profiles.
can receive: no               Certainly not; 'probably meant' has another address of the company, where there is one.
can receive: not known now    Ask again later. This is no no.
can receive: not asked        This login asks for too many at once: ask again in a minute. This is no no.
can receive: cannot be asked  The service does not have the question.
can receive: no address       The name is no address.
`;

function linesOf(answer: ReceiverAnswer): Lines {
  if (answer.kind === 'cannot-be-asked') return CANNOT_BE_ASKED;
  if (answer.kind === 'unknown') {
    const advice = 'Ask again later. This is no no: documents to this address may be sent.';
    return [
      ['can receive', 'not known now'],
      ['why', answer.reason],
      ['what to do', advice],
    ];
  }
  const { canReceive, reason, meant, takes } = answer.receiver;
  return [
    ['can receive', canReceive],
    ['why', reason],
    ['probably meant', meant],
    ...takes.map(({ family, profiles }) => [family, profiles.join(', ')] as const),
  ];
}

const CANNOT_BE_ASKED: Lines = [
  ['can receive', 'cannot be asked'],
  ['why', 'The service does not have the question. Documents to this address may be sent; a receipt tells where it is not known.'],
];

function textOf(lines: Lines): string {
  const said = lines.flatMap(([name, text]) => (text === null ? [] : [visible(`${name}: ${text}`).slice(0, LINE_LENGTH_MAX)]));
  return `${said.slice(0, LINES_MAX).join('\n')}\n`;
}
