import { expect, test } from 'vitest';
import type { Channel } from './channel.ts';
import { byTrouble, type ChannelIncident, type LatestAttempts, troubleOf } from './trouble-of.ts';

const NOW = 10_000;
const channel = (id: number, given: Partial<Channel>) =>
  ({ id, status: 1, last_error: '', last_error_time: 0, test_time: 0, frozen_until: 0, ...given }) as Channel; // only the fields that `troubleOf` reads

/** Attempts and failures of two callers, now. */
const latest = (attempts: number, failures: number, given: Partial<LatestAttempts> = {}): LatestAttempts => ({
  attempts,
  failures,
  newest: { attempts: 0, failures: 0 },
  okAt: failures < attempts ? NOW : 0,
  failedAt: failures > 0 ? NOW : 0,
  okBy: new Set(failures < attempts ? [1, 2] : []),
  failedBy: new Set(failures > 0 ? [1, 2] : []),
  isClear: false,
  reason: null,
  ...given,
});
const none: ChannelIncident = { openedAt: 0, closedAt: 0, attempts: 0, failures: 0 };
const open: ChannelIncident = { openedAt: NOW - 300, closedAt: 0, attempts: 8, failures: 6 };
const byOne = { failedBy: new Set([1]) };
const broken = { last_error: '401', last_error_time: 7, test_time: 7 };
const passed = { test_time: NOW };

interface Case {
  name: string;
  of: LatestAttempts;
  fields?: Partial<Channel>;
  incident?: ChannelIncident;
  poor?: number;
  kind?: 'failing' | 'frozen' | 'switched_off';
}

const cases: Case[] = [
  { name: 'no attempts', of: latest(0, 0) },
  { name: 'two failures of two', of: latest(2, 2) },
  { name: 'three failures of three', of: latest(3, 3), kind: 'failing' },
  { name: 'half of six', of: latest(6, 3), kind: 'failing' },
  { name: 'half, where the site has no limit', of: latest(6, 3), poor: 0, kind: 'failing' },
  { name: 'nine of fifty', of: latest(50, 9) },
  { name: 'ten of fifty, below the limit of the site', of: latest(50, 10), kind: 'failing' },
  { name: 'ten of two hundred, at the limit', of: latest(200, 10) },
  { name: 'ten of two hundred, below a higher limit', of: latest(200, 10), poor: 95.1, kind: 'failing' },
  { name: 'three failures that one request can cause', of: latest(3, 3, byOne) },
  { name: 'three refused keys of one caller', of: latest(3, 3, { ...byOne, isClear: true }), kind: 'failing' },
  { name: 'five failures of one caller', of: latest(5, 5, byOne), kind: 'failing' },
  { name: 'five failures of one caller while another is served', of: latest(8, 5, byOne) },
  { name: 'failures before thirty seconds of successes', of: latest(8, 5, { failedAt: NOW - 30 }) },
  { name: 'frozen', of: latest(3, 3), fields: { frozen_until: NOW + 1 }, kind: 'frozen' },
  { name: 'no longer frozen', of: latest(0, 0), fields: { frozen_until: NOW } },
  { name: 'switched off by the server', of: latest(0, 0), fields: { status: 3 }, kind: 'switched_off' },
  { name: 'disabled by hand', of: latest(3, 3), fields: { status: 2, ...broken } },
  { name: 'an error of a call long ago', of: latest(59, 0), fields: { last_error: '503', last_error_time: 5 } },
  { name: 'a failed test', of: latest(0, 0), fields: broken, kind: 'failing' },
  { name: 'a failed test before calls that succeed', of: latest(9, 0), fields: broken },
  { name: 'a failed test before calls that fail', of: latest(9, 9), fields: broken, kind: 'failing' },
  {
    name: 'a failed test that calls disproved an hour ago',
    of: latest(0, 0),
    fields: broken,
    incident: { ...none, closedAt: 90 },
  },
  { name: 'a passed test after the failures', of: latest(3, 3), fields: passed },
  { name: 'a passed test before the last failure', of: latest(3, 3), fields: { test_time: NOW - 1 }, kind: 'failing' },
  { name: 'a quiet channel that failed', of: latest(0, 0), incident: open, kind: 'failing' },
  { name: 'a quiet channel that failed, and passed a test', of: latest(0, 0), fields: passed, incident: open },
  { name: 'one success after failures', of: latest(9, 8), incident: open, kind: 'failing' },
  { name: 'successes and no failure for thirty seconds', of: latest(9, 8, { failedAt: NOW - 30 }), incident: open },
  {
    name: 'a busy channel whose last two minutes are good but for one failure',
    of: latest(900, 500, { newest: { attempts: 100, failures: 1 } }),
    incident: open,
  },
  {
    name: 'a busy channel whose last two minutes are still poor',
    of: latest(900, 500, { newest: { attempts: 100, failures: 10 } }),
    incident: open,
    kind: 'failing',
  },
];

test.each(cases)('trouble of a channel: $name', ({ of, fields = {}, incident = none, poor = 95, kind }) => {
  expect(troubleOf(channel(1, fields), of, incident, { now: NOW, poor })?.kind).toBe(kind);
});

test('the numbers of a quiet channel are those of its incident', () => {
  const scale = { now: NOW, poor: 95 };
  expect(troubleOf(channel(1, {}), latest(0, 0), open, scale)).toMatchObject({ attempts: 8, failures: 6 });
  expect(troubleOf(channel(1, {}), latest(4, 4), open, scale)).toMatchObject({ attempts: 4, failures: 4, minutes: 10 });
});

test('frozen channels come before those that the server switched off, and those that fail most before others', () => {
  const of = (id: number, given: Partial<Channel>, failures: number) => ({
    id,
    trouble: troubleOf(channel(id, given), latest(10, failures), none, { now: NOW, poor: 95 })!,
  });
  const troubled = [of(1, {}, 6), of(2, {}, 9), of(3, { status: 3 }, 0), of(4, { frozen_until: NOW + 9 }, 0)];
  expect(troubled.toSorted(byTrouble).map(({ id }) => id)).toEqual([4, 3, 2, 1]);
});
