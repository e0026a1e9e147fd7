import { expect, it } from 'vitest';
import { Handles, Listing } from '#gateway/sftp/handles.ts';

const listing = async (): Promise<Listing> => new Listing(['a'], async () => []);

it('no more than eight folders are listed at a time, also when they are asked for at once', async () => {
  const handles = new Handles(64);
  const asked = await Promise.allSettled(Array.from({ length: 9 }, () => handles.addListing(listing)));
  expect(asked.map(({ status }) => status)).toEqual([...Array(8).fill('fulfilled'), 'rejected']);
  const [first] = asked;
  if (first?.status === 'fulfilled') await handles.close(first.value);
  await expect(handles.addListing(listing)).resolves.toBeTypeOf('string');
  await expect(handles.addListing(listing)).rejects.toThrow('too many folders are open: 8 of 8');
});
