// Media types that attachments may have.
import { codeList } from '#rules/engine/codes.ts';

export const MEDIA_TYPES = codeList(
  'media type of an attachment',
  `
  application/pdf image/png image/jpeg text/csv application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
  application/vnd.oasis.opendocument.spreadsheet
  `,
);

export const MEDIA_TYPES_ORDERS = codeList(
  'media type of an attachment',
  `
  application/pdf image/png image/jpeg image/tiff application/acad application/dwg drawing/dwg
  application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/vnd.oasis.opendocument.spreadsheet
  `,
);
