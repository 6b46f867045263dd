import type { ChannelJob, ChannelJobKind, TestSkipReason } from '@relay-hub/contract';
import { channelStatus, splitList } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { switchOffEmpty, reportsBalance, updateBalance } from './channel-balance.ts';
import { testModelOf } from './channel-probe.ts';
import { beginJob, countOutcome, endJob, getJob, type ChannelOutcome } from './channel-jobs.ts';
import { isTestable } from './test-kinds.ts';
import { channelColumns, type ChannelRow } from '#features/channel/channel-record.ts';
import { restingKeys, takeKeyInTurn } from '#features/channel/keys/resting-keys.ts';
import { runKeyTest, runTest, TestFailure } from './run-test.ts';
import { findChannelType } from '#channel-types/channel-types.ts';

/** Channels queried concurrently, so that one that hangs does not block the rest. */
const AT_ONCE = 4;
const LOOK_MS = 60_000;

type ChannelTask = (row: ChannelRow) => Promise<ChannelOutcome>;

/** Runs bulk tests and balance updates in the background. */
export class ChannelWorker {
  readonly #deps: Deps;
  readonly #asks: Record<ChannelJobKind, ChannelTask>;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();
  #stopping = false;
  #looking = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#asks = { test: (row) => this.#test(row), balance: (row) => this.#balance(row) };
    if (deps.jobs) this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Resolves once the job is running. Throws `channel.job_running`, as `beginJob` does. */
  async start(
    kind: ChannelJobKind,
    rows: readonly ChannelRow[],
    actorId: number,
    lastBy?: number,
  ): Promise<ChannelJob> {
    const { db, now, log } = this.#deps;
    const run = await beginJob(db, kind, { total: rows.length, actorId, now: now(), lastBy });
    const work = this.#run(kind, run, rows, actorId !== 0)
      .catch((error: unknown) => log.error({ err: error, kind }, 'channel job failed'))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
    return getJob(db, kind, now());
  }

  /** Ends after the channels in progress. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#running);
  }

  async #run(kind: ChannelJobKind, run: string, rows: readonly ChannelRow[], byHand: boolean): Promise<void> {
    const { db, now } = this.#deps;
    const waiting = rows.values();
    const listed: Pick<ChannelJob, 'failures' | 'skips'> = { failures: [], skips: [] };
    // Serialised, so that an older list never overwrites a newer one.
    let goesOn = Promise.resolve(true);
    const askInTurn = async (): Promise<void> => {
      for (const row of waiting) {
        if (this.#stopping) return;
        const outcome = await this.#asks[kind](row);
        goesOn = goesOn.then((on) => {
          if (outcome.failure) listed.failures.push(outcome.failure);
          if (outcome.skip) listed.skips.push(outcome.skip);
          return on && countOutcome({ db, now }, { kind, run }, outcome, listed);
        });
        if (!(await goesOn)) return;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
    await endJob({ db, now }, { kind, run }, this.#stopping ? 'cancelled' : 'done');
    if (kind === 'test' && byHand) await this.#tellOfTest();
  }

  /** The administrator who started it may be offline by now. */
  async #tellOfTest(): Promise<void> {
    const { db, now, notices } = this.#deps;
    const { state, succeeded, failed, skipped, switched_off: off, switched_on: on } = await getJob(db, 'test', now());
    if (state === 'done') notices.add({ kind: 'testDone', values: { succeeded, failed, skipped, off, on } });
  }

  async #test(row: ChannelRow): Promise<ChannelOutcome> {
    const skipped = (reason: TestSkipReason): ChannelOutcome => ({
      result: 'skipped',
      skip: { id: row.id, name: row.name, reason },
    });
    if (!findChannelType(row.type)?.testable) return skipped('type');
    const model = testModelOf(row, this.#deps.live);
    if (!isTestable(model)) return skipped(splitList(row.models).some(isWildcard) ? 'wildcards' : 'models');
    try {
      return { result: 'succeeded', switched: (await runTest(this.#deps, row, '')).switched };
    } catch (error) {
      // Models without a place at the provider cannot be tested.
      if (error instanceof AppError && error.code === 'channel.test_unsupported') return skipped('unsupported');
      const off = error instanceof TestFailure && error.switchedOff;
      return { result: 'failed', switched: off ? 'off' : undefined, failure: this.#failureOf(row, error) };
    }
  }

  async #balance(row: ChannelRow): Promise<ChannelOutcome> {
    try {
      const balance = await updateBalance(this.#deps, row);
      return { result: 'succeeded', switched: (await switchOffEmpty(this.#deps, row, balance)) ? 'off' : undefined };
    } catch (error) {
      return { result: 'failed', failure: this.#failureOf(row, error) };
    }
  }

  #failureOf({ id, name }: ChannelRow, error: unknown): ChannelJob['failures'][number] {
    if (!(error instanceof AppError)) this.#deps.log.error({ err: error, channel: id }, 'channel query failed');
    return {
      id,
      name,
      message: error instanceof AppError ? String(error.values['reason'] ?? error.code) : 'server.failed',
    };
  }

  /** Scheduled work; runs never overlap. Resolves when this one has ended, except for a job that it has started. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#testOnSchedule()).then(() => this.#probeKeys());
    return this.#looking;
  }

  /** Tests keys that the server has disabled, so that working ones return. */
  async #probeKeys(): Promise<void> {
    const { db, live, now, log } = this.#deps;
    if (!live.settings.AutomaticEnableChannelEnabled) return;
    try {
      for (const key of await restingKeys(db, now())) {
        if (this.#stopping) return;
        // Only one of several nodes tests it.
        if (await takeKeyInTurn(db, key, now())) await this.#probe(key.channel_id, key.id);
      }
    } catch (error) {
      log.error({ err: error }, 'test of disabled keys failed');
    }
  }

  async #probe(channelId: number, keyId: number): Promise<void> {
    try {
      await runKeyTest(this.#deps, channelId, keyId, '');
    } catch (error) {
      // The failure is stored with the key.
      if (!(error instanceof AppError)) throw error;
    }
  }

  /** Only one of several nodes starts it. */
  async #testOnSchedule(): Promise<void> {
    const { db, live, now, log } = this.#deps;
    const everyS = live.settings.ChannelTestFrequency * 60;
    if (everyS === 0 || this.#stopping) return;
    try {
      const last = await getJob(db, 'test', now());
      if (last.state === 'running' || last.started_time + everyS > now()) return;
      await this.start('test', await everyRow(db), 0, now() - everyS);
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error }, 'scheduled channel test not started');
    }
  }
}

const isWildcard = (model: string): boolean => model.endsWith('*');

export const everyRow = (db: Deps['db']): Promise<ChannelRow[]> =>
  db.selectFrom('channels').where('deleted_time', 'is', null).select(channelColumns).orderBy('id').execute();

/** Enabled channels that report a balance. */
export async function rowsWithBalance(db: Deps['db']): Promise<ChannelRow[]> {
  const rows = await everyRow(db);
  return rows.filter((row) => row.status === channelStatus.enabled && reportsBalance(row));
}
