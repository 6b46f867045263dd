import type { ChannelTest } from '@relay-hub/contract';
import { channelStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { switchesOff, switchOff, switchOn } from '#live/auto-switch.ts';
import { switchOffRefused } from '#live/auto-switcher.ts';
import { channelEvents } from '#live/channel-events.ts';
import { limitsIn } from '#live/channel-limits.ts';
import { findProvider } from '#providers/registry.ts';
import { isChannelFailure, type ProbedChannel, UpstreamRefusal } from './ask-provider.ts';
import { keyInUse, openKeys } from '#features/channel/keys/channel-keys.ts';
import { countingOwn } from './own-calls.ts';
import { isOffered, type ProbeResult, testChannel, testModelOf } from './channel-probe.ts';
import { type ChannelRow, findRow } from '#features/channel/channel-record.ts';
import { opened } from '#features/channel/keys/channel-secrets.ts';

type ChannelTestDeps = Pick<Deps, 'db' | 'secrets' | 'live' | 'upstreams' | 'log' | 'notices' | 'now'>;

/** The duration of a test, and whether it disabled or enabled the channel. */
export interface TestResult {
  test: ChannelTest;
  switched: 'on' | 'off' | undefined;
}

/** A failed test, and whether it disabled the channel. */
export class TestFailure extends AppError {
  readonly switchedOff: boolean;

  constructor(error: AppError, switchedOff: boolean) {
    super(error.code, { ...error.values, field: error.field });
    this.switchedOff = switchedOff;
  }
}

/** A channel with what a request needs. Throws `channel.type_unknown`. */
export async function probedOf(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  row: ChannelRow,
  key?: string,
): Promise<ProbedChannel> {
  const provider = findProvider(row.type);
  ensure(provider, 'channel.type_unknown', { field: 'type', type: row.type });
  return { ...row, ...opened(secrets, row), provider, key: key ?? (await keyInUse(db, secrets, row.id)).key };
}

/**
 * Tests a channel with its test model or the given one, and stores the result. The model becomes the test model if the
 * channel has none, or one that it does not offer. By the settings, disables a channel that
 * fails for its account or exceeds the time limit, and enables one that was disabled automatically.
 */
export async function runTest(deps: ChannelTestDeps, row: ChannelRow, requestedModel: string): Promise<TestResult> {
  const { db, secrets, live, now } = deps;
  const model = requestedModel || testModelOf(row, live);
  ensure(model !== '', 'channel.test_model_needed', { field: 'test_model' });
  const used = await keyInUse(db, secrets, row.id);
  try {
    const probed = countingOwn(deps, row, await probedOf(deps, row, used.key));
    const test = await counted(deps, row, { keyId: used.id, model }, () =>
      testChannel(deps.upstreams, probed, { model, mapping: row.model_mapping }, limitOf(deps, row)),
    );
    await db
      .updateTable('channels')
      .set({ response_time: test.ms, test_time: now(), last_error: '' })
      .where('id', '=', row.id)
      .execute();
    await keepTestModel(db, row, test);
    live.absolve(row.id);
    return { test, switched: await switchFor(deps, row, test) };
  } catch (error) {
    if (!isChannelFailure(error)) throw error;
    const reason = String(error.values['reason']);
    await db
      .updateTable('channels')
      .set({ test_time: now(), last_error: reason, last_error_time: now() })
      .where('id', '=', row.id)
      .execute();
    throw new TestFailure(error, await switchedOffFor(deps, row, used.id, error));
  }
}

/** Tokens that a test is counted as. */
const TEST_TOKENS = 32;

/** Counts a test in the limits of its channel and key. A full limit refuses none: a channel at it is not broken. */
async function counted<T>(
  { live }: Pick<ChannelTestDeps, 'live'>,
  row: ChannelRow,
  { keyId, model }: { keyId: number; model: string },
  work: () => Promise<T>,
): Promise<T> {
  const limits = limitsIn(row.limits);
  if (!limits) return work();
  const place = { channelId: row.id, keyId, model };
  // Without the database the limiter has logged it, and the test goes on.
  const room = await live.limiter.count(limits, place, { tokens: TEST_TOKENS, credits: 0 }).catch(() => []);
  try {
    return await work();
  } finally {
    live.limiter.end(room, undefined);
  }
}

/** Slow models cost money at each scheduled test, so only an operator chooses one. */
async function keepTestModel(db: Db, row: ChannelRow, { model, slow }: ProbeResult): Promise<void> {
  if (slow || model === row.test_model || !isOffered(model, row)) return;
  if (row.test_model !== '' && isOffered(row.test_model, row)) return;
  await db
    .updateTable('channels')
    .set({ test_model: model })
    .where('id', '=', row.id)
    .where('test_model', '=', row.test_model)
    .execute();
}

const SHORTEST_LIMIT_MS = 30_000;
/** Time limit for image and audio models. */
const SLOW_LIMIT_MS = 120_000;

/** The call timeout of the channel, and at least the time that would disable it. */
function limitOf({ live }: ChannelTestDeps, { total_timeout: total }: ChannelRow) {
  return (slow: boolean): number => {
    if (total > 0) return total * 1000;
    if (slow) return SLOW_LIMIT_MS;
    return Math.max(SHORTEST_LIMIT_MS, live.settings.ChannelDisableThreshold * 1000 + 1000);
  };
}

async function switchFor(
  deps: ChannelTestDeps,
  row: ChannelRow,
  { ms, slow: slowAnyway }: ProbeResult,
): Promise<TestResult['switched']> {
  const { db, live, now } = deps;
  const { settings } = live;
  const longest = settings.ChannelDisableThreshold;
  const slow = longest > 0 && ms > longest * 1000 && !slowAnyway;
  if (slow && settings.AutomaticDisableChannelEnabled && row.status === channelStatus.enabled) {
    const reason = `the test took ${(ms / 1000).toFixed(1)} s, longer than ${longest} s`;
    if (!(await live.inForce('routes', switchOff(db, row.id, reason, now())))) return undefined;
    channelEvents.switchedOff(deps, row.id, reason);
    return 'off';
  }
  if (slow || !settings.AutomaticEnableChannelEnabled || row.status !== channelStatus.testDisabled) return undefined;
  if (!(await live.inForce('routes', switchOn(db, row.id)))) return undefined;
  channelEvents.switchedOn(deps, row.id);
  return 'on';
}

/** Disables a refused key, as calls do. Returns whether that disabled the channel, if it was the only key. */
async function switchedOffFor(
  deps: ChannelTestDeps,
  row: ChannelRow,
  keyId: number,
  error: AppError,
): Promise<boolean> {
  if (!(error instanceof UpstreamRefusal) || row.status !== channelStatus.enabled) return false;
  const reason = String(error.values['reason']);
  if (!switchesOff({ ...error.upstream, message: reason }, deps.live.settings)) return false;
  return (await switchOffRefused(deps, row.id, keyId, reason)) === 'channel';
}

/**
 * Tests one key of a channel and stores the result. By the settings, enables a key that was disabled automatically, and
 * with it a channel that was disabled for lack of a working key.
 */
export async function runKeyTest(
  deps: ChannelTestDeps,
  channelId: number,
  keyId: number,
  requestedModel: string,
): Promise<ChannelTest> {
  const { db, secrets, live, now } = deps;
  const row = await findRow(db, channelId);
  const found = (await openKeys(db, secrets, channelId)).find(({ id }) => id === keyId);
  ensure(found, 'record.not_found', { field: 'key' });
  const model = requestedModel || testModelOf(row, live);
  ensure(model !== '', 'channel.test_model_needed', { field: 'test_model' });
  const note = (change: object) => db.updateTable('channel_keys').set(change).where('id', '=', keyId).execute();
  try {
    const probed = countingOwn(deps, row, await probedOf(deps, row, found.key));
    const test = await counted(deps, row, { keyId, model }, () =>
      testChannel(deps.upstreams, probed, { model, mapping: row.model_mapping }, limitOf(deps, row)),
    );
    await note({ response_time: test.ms, test_time: now(), last_error: '' });
    await keepTestModel(db, row, test);
    live.keyHealth.forget(keyId);
    if (live.settings.AutomaticEnableChannelEnabled && found.status === channelStatus.testDisabled) {
      await live.inForce('routes', note({ status: channelStatus.enabled, reason: '' }));
      channelEvents.keySwitchedOn(deps, channelId, keyId);
    }
    const isOff = row.status === channelStatus.testDisabled;
    if (isOff && found.status !== channelStatus.disabled) await switchFor(deps, row, test);
    return test;
  } catch (error) {
    if (isChannelFailure(error))
      await note({ test_time: now(), last_error: String(error.values['reason']), last_error_time: now() });
    throw error;
  }
}
