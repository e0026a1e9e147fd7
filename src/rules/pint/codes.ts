// Code lists that only PINT and its jurisdictions use.

import { MEDIA_TYPES } from '#rules/codes/media-types.ts';
import { codeList, union } from '#rules/engine/codes.ts';

export const MEDIA_TYPES_PINT = union(MEDIA_TYPES.name, MEDIA_TYPES, codeList('', 'application/xml'));

export const EAS_PINT = codeList(
  'electronic address scheme (EAS)',
  `
  0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0151 0154 0158 0177 0183 0184 0188 0190 0191 0192 0193 0195 0196 0198 0199
  0200 0201 0202 0204 0208 0209 0210 0211 0212 0213 0215 0216 0218 0221 0230 0235 0240 0242 0244 0245 0246 0248 9910 9913 9914 9915 9918
  9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946
  9947 9948 9949 9950 9951 9952 9953 9957 9959
  `,
);

/** UNTDID 4461 as Singapore takes it: 69 and 98 are missing, two local means are there. */
export const PAYMENT_MEANS_SG = codeList(
  'payment means (UNTDID 4461, Z01, Z02)',
  `
  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48
  49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 70 74 75 76 77 78 91 92 93 94 95 96 97 ZZZ Z01 Z02
  `,
);

export const PAYMENT_MEANS_PINT = union(
  'payment means (UNTDID 4461, or local: Z01 to Z08)',
  PAYMENT_MEANS_SG,
  codeList('', '98 Z03 Z04 Z05 Z06 Z07 Z08'),
);

export const INVOICE_TYPES = codeList(
  'invoice type code (UNTDID 1001)',
  '71 80 82 84 102 218 219 331 380 382 383 386 388 393 395 480 553 575 623 780 817 870 875 876 877',
);

export const CREDIT_NOTE_TYPES = codeList('credit note type code (UNTDID 1001)', '81 83 381 396 532');

/** When tax is due: UNTDID 2005. */
export const TAX_POINTS = codeList('tax point date code (UNTDID 2005)', '3 35 432');
