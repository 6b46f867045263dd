import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { priceApi } from '@relay-hub/contract';
import { afterAll, beforeAll } from 'vitest';
import { isObject, textOr } from '#json.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { createRelay } from '#relay/routes/relay.ts';
import type { TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';
import { taskCall } from '../submit/task-call.ts';
import type { TaskSubmission } from '../submit/task-submission.ts';
import type { TaskRow } from '../task-rows.ts';

const path = '/v1/ordered-videos';

/** Orders as a dialect would write them: `{model, video}`. */
const submission: TaskSubmission = {
  endpoint: path,
  platform: 'video',
  order(_, body) {
    const { model, video } = body;
    const prompt = isObject(video) ? textOr(video['prompt'], '') : '';
    return {
      kind: 'video',
      action: 'GENERATE',
      mode: '',
      model: textOr(model, ''),
      body,
      video: video as VideoOrder, // written by the tests of this world
      prompt,
      state: '',
      notifyHook: '',
    };
  },
  reply: ({ taskId }) => ({ id: taskId }),
};

const orderRow: PathRow = {
  path,
  endpoint: path,
  answers: { POST: (context) => taskCall(context, submission) },
};

/** A vendor's channel at the simulated services, with prices in credits per name. */
export interface IntlChannel {
  type: number;
  /** Prefix of the service. */
  at: string;
  models: string;
  prices?: Readonly<Record<string, number>>;
}

/** A hub with a channel per vendor, and a door for orders of videos. */
export function intlWorld(channels: readonly IntlChannel[]) {
  const hub = hubForSuite(newSqlite);
  const upstream = upstreamForSuite();
  const deps = () => hub().server.deps;
  const ids: number[] = [];
  let server: Server;
  let url = '';

  beforeAll(async () => {
    for (const { type, at, models, prices = {} } of channels) {
      const more =
        at === 'vertex' ? { key: accountKey(upstream().url), other: 'global|my-project' } : { key: `${at}-key` };
      ids.push(await addChannel(hub(), `${upstream().url}/${at}`, { type, name: at, models, ...more }));
      for (const [model, credits] of Object.entries(prices))
        await hub().root.call(priceApi.create, {
          body: { model, type: 'times', channel_type: 0, input: credits / 1000, output: credits / 1000 },
        });
    }
    const relay = createRelay(deps(), [orderRow]);
    server = createServer((request, response) => relay.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a TCP port
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const order = async (who: TestCaller, model: string, video: Partial<VideoOrder> = {}) => {
    const { status, text } = await post(
      { url },
      who.key,
      { model, video: { kind: 'generate', prompt: 'a cat', ...video } },
      path,
    );
    return {
      status,
      json: JSON.parse(text) as { id?: string; error?: { code: string; message: string; param: unknown } },
    };
  };
  const row = async (taskId: string): Promise<TaskRow> => {
    await caughtUp(deps().db);
    return deps().db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirstOrThrow();
  };
  /** Makes unfinished tasks due, and polls. */
  const poll = async (): Promise<void> => {
    await caughtUp(deps().db);
    await deps().db.updateTable('tasks').set({ next_poll_at: 1 }).where('next_poll_at', '>', 0).execute();
    await pollDueTasks(deps());
  };
  /** Polls until a task has a status. */
  const until = async (taskId: string, status: TaskRow['status']): Promise<TaskRow> => {
    for (let n = 0; n < 10; n++) {
      const found = await row(taskId);
      if (found.status === status) return found;
      await poll();
    }
    throw new Error(`task ${taskId} is ${(await row(taskId)).status}, not ${status}`);
  };
  const expire = (taskId: string) =>
    deps().db.updateTable('tasks').set({ deadline: 1, next_poll_at: 1 }).where('task_id', '=', taskId).execute();
  const entries = async (taskId: string) => {
    const { request_id } = await row(taskId);
    const found = await deps()
      .db.selectFrom('ledger')
      .where('reference', 'in', [`call:${request_id}`, `task:${taskId}`])
      .select(['kind', 'credits'])
      .orderBy('id')
      .execute();
    return found.map(({ kind, credits }) => [kind, credits]);
  };
  /** Rested channels are used again. */
  const wakeChannels = (): void => {
    for (const id of ids) deps().live.health.forget(id);
  };

  return { hub, upstream, deps, order, row, poll, until, expire, entries, wakeChannels };
}

/** A service account whose tokens come from the simulated service. */
function accountKey(upstreamUrl: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    type: 'service_account',
    client_email: 'relay@my-project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${upstreamUrl}/vertex/token`,
  });
}
