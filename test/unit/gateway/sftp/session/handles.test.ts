import { expect, it } from 'vitest';
import { Handles, Listing } from '#gateway/sftp/session/handles.ts';

/** What is opened is of no matter here. */
const listing = async (): Promise<Listing> => Listing.of(['a'], async () => []);

it('no more than eight folders are listed at a time, also when they are asked for at once', async () => {
  const handles = new Handles(64);
  const asked = await Promise.allSettled(Array.from({ length: 9 }, () => handles.addListing(listing)));
  expect(asked.map(({ status }) => status)).toEqual([...Array(8).fill('fulfilled'), 'rejected']);
  const [first] = asked;
  if (first?.status === 'fulfilled') await handles.close(first.value);
  await expect(handles.addListing(listing)).resolves.toBeTypeOf('string');
  await expect(handles.addListing(listing)).rejects.toThrow('too many folders are open: 8 of 8');
});

it('no more files are open than may be, also when they are asked for at once; what failed to open counts no more', async () => {
  const handles = new Handles(4);
  const failing = async (): Promise<Listing> => Promise.reject(new Error('it is gone'));
  const asked = await Promise.allSettled([failing, ...Array.from({ length: 5 }, () => listing)].map((open) => handles.add(open)));
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(handles.count).toBe(3);
  await handles.add(listing);
  await expect(handles.add(listing)).rejects.toMatchObject({ code: 'quota', message: expect.stringContaining('4 of 4') });
  await handles.abandonAll();
  await expect(handles.add(listing)).resolves.toBeTypeOf('string');
});
