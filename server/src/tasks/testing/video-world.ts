import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { VideoOrder } from '#providers/video-order.ts';
import { createRelay, type Relay } from '#relay/routes/relay.ts';
import type { TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import type { MakeDatabase } from '#testing/databases.ts';
import { hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { post } from '#testing/relay-calls.ts';
import { pollDueTasks } from '../poll/poll-tasks.ts';
import { taskCall } from '../submit/task-call.ts';
import type { TaskSubmission } from '../submit/task-submission.ts';
import type { TaskRow } from '../task-rows.ts';

/** A request of the test's dialect: the order itself. */
interface WrittenOrder extends Partial<VideoOrder> {
  model: string;
}

const PATH = '/v1/test-videos';

/** The dialect of the tests: a body is a `WrittenOrder`. */
const submission: TaskSubmission = {
  endpoint: PATH,
  platform: 'video',
  order(_, body) {
    const { model, ...video } = body as unknown as WrittenOrder; // written by the tests below
    const prompt = video.prompt ?? 'a cat';
    const order: VideoOrder = { kind: 'generate', ...video, prompt };
    return {
      kind: order.kind,
      action: 'GENERATE',
      mode: '',
      model,
      body: {},
      video: order,
      prompt,
      state: '',
      notifyHook: '',
    };
  },
  reply: ({ taskId }) => ({ id: taskId }),
};

/** A hub that takes orders for videos in a form of the tests, at simulated vendors. */
export function videoWorld(make: MakeDatabase) {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const deps = () => hub().server.deps;
  let relay: Relay | undefined;
  const server = createServer((request, response) => relay?.handle(request, response));
  beforeAll(async () => {
    relay = createRelay(deps(), [
      { path: PATH, endpoint: PATH, answers: { POST: (context) => taskCall(context, submission) } },
    ]);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await relay?.stop(0);
  });

  const order = async (who: TestCaller, body: WrittenOrder) => {
    const { port } = server.address() as AddressInfo; // listening on a TCP port
    const answer = await post({ url: `http://127.0.0.1:${port}` }, who.key, body, PATH);
    return { status: answer.status, json: JSON.parse(answer.text) as Record<string, unknown> };
  };
  /** Orders a video; its task's id. */
  const submit = async (who: TestCaller, body: WrittenOrder): Promise<string> => {
    const { status, json } = await order(who, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    return String(json['id']);
  };
  const row = async (taskId: string): Promise<TaskRow> => {
    await caughtUp(deps().db);
    return deps().db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirstOrThrow();
  };
  const rows = (who: TestCaller): Promise<TaskRow[]> =>
    deps().db.selectFrom('tasks').where('user_id', '=', who.userId).selectAll().execute();
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
  return { hub, upstream, deps, order, submit, row, rows, poll, until };
}
