import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { pinned } from './child.ts';
import { hasWrk, startLoad } from './load.ts';
import { measure, type Plan } from './measure.ts';
import type { Measured } from './measured.ts';
import { comparePaired } from './paired.ts';
import { hasPortkey, installPortkey, portkey } from './portkey.ts';
import { profile } from './profile.ts';
import { render, summary } from './report.ts';
import {
  bareProxy,
  hasNginx,
  nginx,
  relayHub,
  startStampedUpstream,
  startUpstream,
  type Target,
  type Upstreams,
} from './targets.ts';
import { measurable, openFilesAllowed } from './usage.ts';

const flags = readCommand({
  name: 'tool bench',
  about: 'Compares the cost of Relay Hub with a bare proxy, on this machine.',
  options: {
    quick: flag('one short round, for a first impression'),
    rounds: whole('<number>', 'up to 20; default: 3', undefined, 1),
    json: text('<file>', 'write all figures of all rounds to a file', undefined),
    load: text('node|wrk', 'load generator of the closed loop of JSON calls; default: wrk if installed', undefined),
    against: text('<folder>', 'also measure another checkout of Relay Hub, in the same rounds', undefined),
    paired: whole(
      '<pairs>',
      'with --against: load both checkouts in turn, a second each, and compare only CPU',
      undefined,
      1,
    ),
    peers: flag("download Portkey's gateway into .cache; once there, it is always measured"),
    profile: flag('profile Relay Hub under the JSON load instead; profiles are written to bench/results'),
  },
});

const longPlan: Plan = {
  rounds: 3,
  warm: 8,
  json: 3,
  latency: 3.5,
  firstToken: 3,
  paced: 3,
  burst: 1.5,
  memory: 3,
  streams: 5,
};
const quickPlan: Plan = {
  rounds: 1,
  warm: 1,
  json: 2,
  latency: 1.5,
  firstToken: 1.5,
  paced: 1.5,
  burst: 0.9,
  memory: 1,
  streams: 3.5,
};

const OPEN_FILES = 1500;
const root = path.join(import.meta.dirname, '..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(folder: string): Promise<void> {
  const engine = flags.load === 'node' || flags.load === 'wrk' ? flags.load : hasWrk() ? 'wrk' : 'node';
  const upstreams = { simulated: await startUpstream(), stamped: await startStampedUpstream() };
  const load = await startLoad(folder, engine);
  try {
    const hub = await relayHub('Relay Hub', root, path.join(folder, 'data'), upstreams);
    if (flags.profile) {
      say(await profile(hub, load, path.join(import.meta.dirname, 'results'), root));
      return;
    }
    if (flags.paired !== undefined) {
      if (!flags.against) throw new Error('--paired needs --against');
      const other = await against(flags.against, folder, upstreams);
      for (const line of await comparePaired([hub, other], load, flags.paired)) say(line);
      return;
    }
    const targets = [bareProxy(upstreams), hub, ...(await others(folder, upstreams))];
    describe(engine);
    const measured = await measureAll(targets, (target) => measure(target, upstreams, load, plan()));
    say(`\n${render(measured, hub.name)}`);
    if (flags.json)
      writeFileSync(
        flags.json,
        `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, pinned, engine, targets: summary(measured) }, null, 2)}\n`,
      );
  } finally {
    await load.stop();
    await upstreams.simulated.child.stop();
    await upstreams.stamped.child.stop();
  }
}

function against(checkout: string, folder: string, upstreams: Upstreams): Promise<Target> {
  const other = path.resolve(checkout);
  return relayHub(path.basename(other), other, path.join(folder, 'other'), upstreams);
}

/** Further targets on this machine. Prints which ones are missing. */
async function others(folder: string, upstreams: Upstreams): Promise<Target[]> {
  const targets: Target[] = [];
  if (flags.against) targets.push(await against(flags.against, folder, upstreams));
  if (hasNginx()) targets.push(nginx(folder, upstreams));
  else say('NO NGINX on this machine: it is skipped, and so are comparisons with it.');
  const wrong = flags.peers && !hasPortkey() ? installPortkey() : undefined;
  if (hasPortkey()) targets.push(portkey(upstreams));
  else if (wrong === undefined) say('NO PORTKEY: it is skipped, and so are comparisons with it. --peers downloads it.');
  else say(`NO PORTKEY: the download failed. It is skipped, and so are comparisons with it.\n${wrong}`);
  return targets;
}

/** Each stream uses two connections of a target. Node raises the soft limit for itself and its children. */
function checkOpenFiles(): void {
  const allowed = openFilesAllowed();
  if (allowed !== undefined && allowed < OPEN_FILES)
    throw new Error(`the limit of open files is ${allowed}, the benchmark needs ${OPEN_FILES}: ulimit -Hn`);
}

function plan(): Plan {
  const chosen = flags.quick ? quickPlan : longPlan;
  return { ...chosen, rounds: Math.min(20, flags.rounds ?? chosen.rounds) };
}

function describe(engine: string): void {
  say(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${process.platform}; closed loop by ${engine}, 64 and 256 connections`,
  );
  say(
    pinned
      ? 'Target on one core; load and simulated upstream on another.'
      : 'Not pinned to cores (that takes taskset and two cores): ratios are rougher.',
  );
  if (!measurable)
    say(
      'CPU time and memory of other processes are read from /proc, which this system has not: those figures are left out.',
    );
}

async function measureAll(
  targets: readonly Target[],
  one: (target: Target) => Promise<Measured['rounds'][number]>,
): Promise<Measured[]> {
  const measured: Measured[] = targets.map(({ name }) => ({ name, rounds: [] }));
  const { rounds } = plan();
  for (let round = 1; round <= rounds; round++) {
    for (const [index, target] of targets.entries()) {
      const figures = await one(target);
      measured[index]!.rounds.push(figures);
      const cpu = figures.cpuUsPerRequest === undefined ? '' : `, ${figures.cpuUsPerRequest.toFixed(1)} µs CPU each`;
      say(
        `round ${round} of ${rounds}: ${target.name}: ${Math.round(figures.requestsPerSecond)} requests per second${cpu}`,
      );
    }
  }
  return measured;
}

checkOpenFiles();
const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-bench-'));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
