import { channelApi, channelStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { addChannel, ApiClient, type TestHub } from '#testing/hub.ts';
import type { TaskBehaviour, TaskSimulator } from '#upstream-simulator/task-services.ts';
import { pollDueTasks } from '#tasks/poll/poll-tasks.ts';
import { addAccessToken } from './access-token.ts';
import { chance } from './torture-plan.ts';
import { judgeTasks, type TaskVerdict } from './torture-task-verdict.ts';

const CUSTOMERS = 3;
const imageModels = 'mj_imagine,mj_relax_imagine,mj_upscale';

interface TaskParts {
  seed: number;
  forMs: number;
  db: Kysely<Tables>;
  simulator: TaskSimulator;
  urls: () => string[];
  rootToken: string;
  customers: readonly TestCaller[];
  /** Switched off and then deleted during the run. */
  doomed: number;
}

/**
 * Customers who submit image and song tasks while nodes are killed. The simulated services lose answers, repeat ids,
 * forget tasks, and are away for an hour of the tasks' time; one of two channels is disabled and deleted.
 */
export class TorturedTasks {
  readonly #parts: TaskParts;
  readonly #chance: ReturnType<typeof chance>;
  /** Ids that customers have received. */
  readonly #received: string[] = [];

  private constructor(parts: TaskParts) {
    this.#parts = parts;
    this.#chance = chance(parts.seed + 2);
  }

  static async open(
    node: Pick<TestHub, 'root'>,
    upstreamUrl: string,
    parts: Omit<TaskParts, 'rootToken' | 'customers' | 'doomed'>,
  ): Promise<TorturedTasks> {
    const image = { type: 34, models: imageModels };
    const doomed = await addChannel(node, upstreamUrl, { ...image, name: 'doomed', key: 'key-one', priority: 5 });
    await addChannel(node, upstreamUrl, { ...image, name: 'lasting', key: 'key-two' });
    await addChannel(node, upstreamUrl, { type: 41, name: 'songs', key: 'key-three', models: 'suno_lyrics' });
    const customers: TestCaller[] = [];
    for (let n = 0; n < CUSTOMERS; n++)
      customers.push(await addCaller(parts.db, { quota: 500_000_000, ...(n === 0 && { remain: 400_000_000 }) }));
    return new TorturedTasks({ ...parts, rootToken: await addAccessToken(parts.db, 1), customers, doomed });
  }

  /** Number of tasks whose ids customers have received. */
  get submitted(): number {
    return this.#received.length;
  }

  async run(isOver: () => boolean): Promise<void> {
    await Promise.all([
      ...this.#parts.customers.map((customer) => this.#submitting(customer, isOver)),
      this.#endingTheChannel(),
      this.#passingTime(),
      this.#notifying(isOver),
    ]);
  }

  /** Polls with the deps of a running node until every task has ended. */
  async finish(deps: Deps): Promise<void> {
    this.#parts.simulator.isAway = false;
    await deps.book.caughtUp();
    const open = deps.db.selectFrom('tasks').where('next_poll_at', '>', 0);
    for (let round = 0; round < 60; round++) {
      const { left } = await open.select(({ fn }) => fn.countAll().as('left')).executeTakeFirstOrThrow();
      if (Number(left) === 0) return;
      // The last rounds are after every deadline.
      const values = { next_poll_at: 1, ...(round > 30 && { deadline: 1 }) };
      await deps.db.updateTable('tasks').set(values).where('next_poll_at', '>', 0).execute();
      await pollDueTasks(deps);
    }
  }

  judge = (): Promise<TaskVerdict> => judgeTasks(this.#parts.db, this.#parts.simulator, this.#received);

  async #submitting({ key }: TestCaller, isOver: () => boolean): Promise<void> {
    const { pick, between } = this.#chance;
    while (!isOver()) {
      this.#parts.simulator.next(this.#behaviour());
      const isSong = pick([25, true], [75, false]);
      const [path, body] = isSong
        ? ['/suno/submit/lyrics', { prompt: 'la la' }]
        : ['/mj/submit/imagine', { prompt: 'a cat' }];
      const reply = await this.#post(path, body, { authorization: `Bearer ${key}`, 'mj-api-secret': key });
      const id = isSong ? reply['data'] : reply['result'];
      if (typeof id === 'string') this.#received.push(id);
      await sleep(between(20, 200));
    }
  }

  #behaviour(): TaskBehaviour {
    const { pick } = this.#chance;
    return pick<TaskBehaviour>(
      [35, { steps: [{ status: 'IN_PROGRESS', progress: 50 }, success] }],
      [20, { steps: [success] }],
      [10, { fault: 'lost' }],
      [5, { fault: 'never' }],
      [5, { fault: 'duplicate' }],
      [8, { steps: [{ status: 'FAILURE', failReason: 'bad prompt' }] }],
      [4, { steps: [{ ...success, empty: true }] }],
      [4, { steps: [{ status: 'IN_PROGRESS', unknown: true }] }],
      [4, { steps: [{ status: 'IN_PROGRESS', progress: 80 }, { status: 'SUBMITTED', progress: 1 }, success] }],
      // Stuck until its deadline.
      [3, { steps: [{ status: 'IN_PROGRESS', progress: 40 }] }],
      [2, { answer: { code: 24, description: 'banned' } }],
    );
  }

  /** The channel is disabled after a third of the run, and deleted after two. */
  async #endingTheChannel(): Promise<void> {
    const { forMs, doomed } = this.#parts;
    await sleep(forMs / 3);
    await this.#asRoot(channelApi.update.method, channelApi.update.path, {
      id: doomed,
      status: channelStatus.disabled,
    });
    await sleep(forMs / 3);
    await this.#asRoot(channelApi.remove.method, channelApi.remove.path.replace(':id', String(doomed)));
  }

  /** Half-way the services are away, while an hour passes for the tasks in steps. */
  async #passingTime(): Promise<void> {
    const { forMs, db, simulator } = this.#parts;
    const STEPS = 6;
    await sleep(forMs / 2);
    simulator.isAway = true;
    for (let step = 0; step < STEPS; step++) {
      // One by one: a statement for all of them could deadlock with a poll.
      for (const { id } of await db.selectFrom('tasks').where('next_poll_at', '>', 0).select('id').execute())
        await db
          .updateTable('tasks')
          .set({
            submit_ms: sql<number>`submit_ms - 600000`,
            deadline: sql<number>`deadline - 600`,
            next_poll_at: 1,
          })
          .where('id', '=', id)
          .where('next_poll_at', '>', 0)
          .execute();
      await sleep(forMs / 5 / STEPS);
    }
    simulator.isAway = false;
  }

  /** Notifications make tasks due at any time, also while a node polls them. */
  async #notifying(isOver: () => boolean): Promise<void> {
    const { db } = this.#parts;
    while (!isOver()) {
      const odd = this.#chance.between(0, 2);
      const waiting = db
        .selectFrom('tasks')
        .where('next_poll_at', '>', 1)
        .where(sql<number>`id % 2`, '=', odd)
        .select('id');
      // One by one, as above.
      for (const { id } of await waiting.execute())
        await db
          .updateTable('tasks')
          .set({ next_poll_at: 1 })
          .where('id', '=', id)
          .where('next_poll_at', '>', 1)
          .execute();
      await sleep(300);
    }
  }

  /** Repeated until a node has replied; the channel may be gone by then. */
  async #asRoot(method: string, path: string, body?: object): Promise<void> {
    const { rootToken } = this.#parts;
    for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs;) {
      const client = new ApiClient(this.#anyNode());
      const headers = { authorization: `Bearer ${rootToken}` };
      const reply = await client.send(method, path, body, headers).catch(() => undefined);
      if (reply && reply.status < 500) return;
      await sleep(100);
    }
    throw new Error(`no node answered ${method} ${path} within ${PATIENCE_MS / 1000} s; the machine may be too slow`);
  }

  /** The reply of any node; empty without a success. */
  async #post(path: string, body: object, headers: Record<string, string>): Promise<Record<string, unknown>> {
    const sent = { ...headers, 'content-type': 'application/json' };
    const init = { method: 'POST', headers: sent, body: JSON.stringify(body) };
    const response = await fetch(this.#anyNode() + path, init).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.status !== 200 || text === undefined) return {};
    return JSON.parse(text) as Record<string, unknown>; // the server sends JSON
  }

  #anyNode(): string {
    const urls = this.#parts.urls();
    return urls[this.#chance.between(0, urls.length)] ?? urls[0] ?? '';
  }
}

/** A slow machine starts a process in half a minute. */
const PATIENCE_MS = 180_000;
const success = { status: 'SUCCESS', progress: 100 };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
