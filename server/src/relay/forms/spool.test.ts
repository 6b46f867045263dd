import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { BodyMemory } from '#http/limits/body-memory.ts';
import { Spools } from './spool.ts';

const claim = () => new BodyMemory(Infinity).claim(1);
const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-spool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('small bodies stay in memory; large ones are read repeatedly from an unlinked file', async () => {
  const small = new Spools(path.join(folder, 'never')).open(claim());
  await small.add(Buffer.from('0123456789'));
  expect(small.assemble([{ start: 0, end: 3 }, Buffer.from('x'), { start: 8, end: 10 }])).toEqual(
    Buffer.from('012x89'),
  );
  await small.close();

  const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => i % 251));
  const large = new Spools(folder).open(claim());
  for (let at = 0; at < bytes.length; at += 70_001) await large.add(bytes.subarray(at, at + 70_001));
  const sent = large.assemble([{ start: 0, end: 5 }, Buffer.from('x'), { start: 7, end: bytes.length }]);
  if (Buffer.isBuffer(sent)) throw new Error('a megabyte is in memory');
  const expected = Buffer.concat([bytes.subarray(0, 5), Buffer.from('x'), bytes.subarray(7)]);
  expect(sent.length).toBe(expected.length);
  const [one, two] = await Promise.all([buffer(sent.open()), buffer(sent.open())]);
  expect(one.equals(expected) && two.equals(expected)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  await large.close();
  await expect(buffer(sent.open())).rejects.toThrow();
});

test('what a killed process left is removed, and what another one is making is not', () => {
  const [old, young] = ['old', 'young'].map((name) => path.join(folder, name)) as [string, string];
  for (const file of [old, young]) writeFileSync(file, 'x');
  const earlier = Date.now() / 1000 - 3600;
  utimesSync(old, earlier, earlier);
  void new Spools(folder);
  expect(readdirSync(folder)).toEqual(['young']);
  expect(() => new Spools(path.join(folder, 'nowhere'))).not.toThrow();
});

test('all that lies on the disk together has a limit, and what has ended gives its room back', async () => {
  const spools = new Spools(folder, 1_000_000);
  const [one, two] = [spools.open(claim()), spools.open(claim())];
  await one.add(Buffer.alloc(600_000));
  await expect(two.add(Buffer.alloc(600_000))).rejects.toMatchObject({ status: 503, retryAfter: '5' });
  await two.close();
  await one.add(Buffer.alloc(300_000));
  await one.close();
  const three = spools.open(claim());
  await three.add(Buffer.alloc(1_000_000));
  await three.close();
});
