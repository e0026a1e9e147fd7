// What is released at the end, and what is told of it.
import { expect, it } from 'vitest';
import { Lifecycle } from '#runtime/lifecycle.ts';

function lifeOf(...releases: (() => void)[]): Lifecycle {
  const life = new Lifecycle();
  for (const release of releases) life.own(release, (each) => each());
  return life;
}

function failing(message: string): () => void {
  return () => {
    throw new Error(message);
  };
}

it('the youngest is released first, and one that fails keeps no other from it', async () => {
  const released: string[] = [];
  const life = lifeOf(
    () => released.push('old'),
    failing('middle'),
    () => released.push('young'),
  );
  await expect(life.stop()).rejects.toThrow(/^middle$/);
  expect(released).toEqual(['young', 'old']);
});

it('where several fail, all of them are told', async () => {
  const stopped = lifeOf(failing('old'), failing('young')).stop();
  await expect(stopped).rejects.toThrow('young; old');
  await expect(stopped).rejects.toMatchObject({ errors: [{ message: 'young' }, { message: 'old' }] });
});
