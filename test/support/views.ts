// Views for servers and sessions of tests: nothing is in them.
import type { View, Views } from '#gateway/model/view.ts';

export const EMPTY_VIEW: View = {
  async *list() {},
  stat: async () => null,
  read: async () => null,
};

export const EMPTY_VIEWS: Views = { lookup: EMPTY_VIEW, status: EMPTY_VIEW };
