import type { JsonObject } from './behaviour.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';

/** Report of a task, one step per poll; the last one repeats. */
export interface TaskStep {
  status: string;
  progress?: number;
  failReason?: string;
  /** A success without anything to show. */
  empty?: boolean;
  /** The answer does not mention the task. */
  unknown?: boolean;
  /** The answer to any poll with the task is no JSON. */
  odd?: boolean;
}

/** How the next submission is answered, and what becomes of its task. */
export interface TaskBehaviour {
  /**
   * `lost`: the task is accepted and the connection closed. `never`: the connection is closed without a task.
   * `duplicate`: the id of the previous task is returned. `early`: its notification arrives before the answer.
   */
  fault?: 'lost' | 'never' | 'duplicate' | 'early';
  /** The answer instead of an acceptance. */
  status?: number;
  answer?: JsonObject;
  /** The code of the answer: 21 with `remix` asks for a confirmation. */
  code?: number;
  steps?: readonly TaskStep[];
  /** The service does not stop the task. */
  keepsOn?: boolean;
  /** Address of the finished picture. */
  picture?: string;
}

interface SimulatedTask {
  id: string;
  service: string;
  kind: string;
  body: JsonObject;
  steps: readonly TaskStep[];
  keepsOn: boolean;
  polls: number;
  submitted: number;
  picture: string;
}

export const usualSteps: readonly TaskStep[] = [
  { status: 'SUBMITTED', progress: 0 },
  { status: 'IN_PROGRESS', progress: 50 },
  { status: 'SUCCESS', progress: 100 },
];

/** Services with asynchronous tasks: midjourney-proxy below `/mj`, Suno-API below `/suno`. */
export class TaskSimulator {
  readonly tasks = new Map<string, SimulatedTask>();
  /** Polls received, with the number of ids in each. */
  readonly polled: number[] = [];
  /** The services do not answer any more. */
  isAway = false;
  /** Answers of polls that are no JSON. */
  isOdd = false;
  /** Answers of polls wait for it. */
  held: Promise<void> | undefined;
  readonly #queue: TaskBehaviour[] = [];
  #made = 0;

  /** Queues behaviours for the next submissions. */
  next(...behaviours: TaskBehaviour[]): void {
    this.#queue.push(...behaviours);
  }

  /** The only task, or the one that was submitted last. */
  get last(): SimulatedTask | undefined {
    return [...this.tasks.values()].at(-1);
  }

  /** Sends notifications of the last task at once, in any words, to the address that came with its order. */
  async notify(times: number, body: JsonObject): Promise<number[]> {
    const hook = String(this.last?.body['notifyHook']);
    const sent = Array.from({ length: times }, () => fetch(hook, { method: 'POST', body: JSON.stringify(body) }));
    return (await Promise.all(sent)).map(({ status }) => status);
  }

  /** Undefined: another path. `cut`: the connection is closed. */
  async answer(request: ReceivedRequest): Promise<SimulatedReply | 'cut' | undefined> {
    const path = request.path.replace(/\?.*/s, '');
    const [, service, rest = ''] = /^\/(mj|suno)\/(.*)$/.exec(path) ?? [];
    if (service === undefined) return undefined;
    if (this.isAway) return 'cut';
    if (rest === 'picture.png') return fileReply('image/png', onePixel);
    if (rest === 'expired.png') return { ...fileReply('text/html', 'expired'), status: 403 };
    if (rest === 'page.html') return fileReply('text/html', '<script>alert(1)</script>');
    const key = service === 'mj' ? request.headers['mj-api-secret'] : request.headers.authorization;
    if (!key) return jsonReply(401, { code: 'invalid_request', message: 'no key' });
    const body = request.method === 'POST' ? (JSON.parse(request.body) as JsonObject) : {}; // the server sends JSON
    const [, kind] = /^(?:submit|insight-face|uploads)\/(.+)$/.exec(rest) ?? [];
    if (kind !== undefined) return this.#submit(service, kind, body);
    if (service === 'mj') return this.#imageService(rest, body);
    return rest === 'fetch' ? this.#songs(body) : jsonReply(404, { code: 'not_found', message: '' });
  }

  async #submit(service: string, kind: string, body: JsonObject): Promise<SimulatedReply | 'cut'> {
    const behaviour = this.#queue.shift() ?? {};
    const {
      fault,
      status = 200,
      answer,
      steps = usualSteps,
      code = 1,
      keepsOn = false,
      picture = 'https://cdn.example/grid.png',
    } = behaviour;
    if (fault === 'never') return 'cut';
    if (answer || status !== 200) return jsonReply(status, answer ?? { code: 9, description: 'failed' });
    const confirmed = kind === 'modal' ? this.tasks.get(String(body['taskId'])) : undefined;
    const earlier = [...this.tasks.values()].findLast((task) => task.service === service);
    const id =
      fault === 'duplicate' && earlier ? earlier.id : (confirmed?.id ?? String(1_320_098_173_412_000 + ++this.#made));
    if (fault !== 'duplicate')
      this.tasks.set(id, {
        id,
        service,
        kind,
        body: { ...confirmed?.body, ...body },
        steps,
        keepsOn,
        polls: 0,
        submitted: Date.now(),
        picture,
      });
    const hook = body['notifyHook'];
    if (fault === 'early' && typeof hook === 'string')
      // The receiver may be stopped at any time.
      await fetch(hook, { method: 'POST', body: JSON.stringify({ id, status: 'IN_PROGRESS' }) }).catch(() => undefined);
    if (fault === 'lost') return 'cut';
    if (service === 'suno') return jsonReply(200, { code: 'success', message: '', data: id });
    const properties = code === 21 ? { remix: true, finalPrompt: 'a cat' } : {};
    return jsonReply(200, { code, description: 'Submit success', result: id, properties });
  }

  async #imageService(rest: string, body: JsonObject): Promise<SimulatedReply> {
    if (rest === 'task/list')
      return listReply([...this.tasks.values()].slice(-100).map((task) => imageTask(task, false)));
    if (rest === 'task/list-by-condition') {
      const polled = this.#polled(body);
      const isOdd = this.isOdd || polled.some((task) => stepOf(task).odd);
      const reply = isOdd ? fileReply('text/html', '<html>') : listReply(polled.map((task) => imageTask(task, true)));
      await this.held;
      return reply;
    }
    const [, one = '', wish] = /^task\/([^/]+)\/(fetch|cancel)$/.exec(rest) ?? [];
    if (wish === 'cancel') return this.#cancel(one);
    if (wish === 'fetch') {
      const [task] = this.#polled({ ids: [one] });
      return task ? jsonReply(200, imageTask(task, true)) : jsonReply(404, { code: 3, description: 'unknown task' });
    }
    const [, id = ''] = /^task\/([^/]+)\/image-seed$/.exec(rest) ?? [];
    return this.tasks.has(id)
      ? jsonReply(200, { code: 1, description: 'Success', result: '4242', properties: {} })
      : jsonReply(404, { code: 3, description: 'unknown task' });
  }

  #cancel(id: string): SimulatedReply {
    const task = this.tasks.get(id);
    if (!task || task.keepsOn) return jsonReply(409, { code: 4, description: 'not stopped' });
    task.steps = [{ status: 'CANCEL' }];
    return jsonReply(200, { code: 1, description: 'Success', result: id, properties: {} });
  }

  #songs(body: JsonObject): SimulatedReply {
    return jsonReply(200, { code: 'success', message: '', data: this.#polled(body).map(songTask) });
  }

  #polled(body: JsonObject): SimulatedTask[] {
    const ids = Array.isArray(body['ids']) ? body['ids'].map(String) : [];
    this.polled.push(ids.length);
    const known = ids.map((id) => this.tasks.get(id)).filter((task) => task !== undefined);
    for (const task of known) task.polls++;
    return known.filter((task) => stepOf(task).unknown !== true);
  }
}

/** A PNG of one transparent pixel. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const fileReply = (type: string, content: string | Buffer): SimulatedReply => ({
  ...jsonReply(200, {}),
  headers: { 'content-type': type },
  parts: [content],
});

const listReply = (list: readonly JsonObject[]): SimulatedReply => ({
  ...jsonReply(200, {}),
  parts: [JSON.stringify(list)],
});

const stepOf = ({ steps, polls }: SimulatedTask): TaskStep =>
  steps[Math.min(Math.max(0, polls - 1), steps.length - 1)] ?? { status: 'SUBMITTED' };

function imageTask(task: SimulatedTask, isPoll: boolean): JsonObject {
  const { status, progress = 0, failReason = '', empty } = isPoll ? stepOf(task) : { status: 'SUBMITTED' };
  const isDone = status === 'SUCCESS' && !empty;
  const prompt = typeof task.body['prompt'] === 'string' ? task.body['prompt'] : '';
  return {
    id: task.id,
    action: task.kind.toUpperCase(),
    state: task.body['state'],
    prompt,
    promptEn: `${prompt} (en)`,
    status,
    // As in both implementations, a failed task has no progress.
    progress: status === 'FAILURE' ? '' : `${progress}%`,
    submitTime: task.submitted,
    startTime: task.submitted,
    finishTime: isDone ? Date.now() : null,
    failReason,
    imageUrl: isDone ? task.picture : null,
    clientIp: '10.1.2.3',
    buttons: isDone
      ? [
          { customId: 'MJ::JOB::upsample::1::uuid', emoji: '', label: 'U1', style: 2, type: 2 },
          { customId: 'MJ::JOB::pan_left::1::uuid::SOLO', emoji: '', label: 'left', style: 2, type: 2 },
        ]
      : [],
    properties: { finalPrompt: '' },
  };
}

function songTask(task: SimulatedTask): JsonObject {
  const { status, progress = 0, failReason = '', empty } = stepOf(task);
  const songs = ['a', 'b'].map((end) => ({
    id: `${task.id}-${end}`,
    user_id: 'the-vendors-account',
    title: 'A song',
    audio_url: `https://cdn.example/${task.id}-${end}.mp3`,
    image_url: `https://cdn.example/${task.id}-${end}.png`,
    video_url: '',
    status: 'complete',
  }));
  return {
    task_id: task.id,
    action: task.kind.toUpperCase(),
    status,
    fail_reason: failReason,
    progress: `${progress}%`,
    submit_time: Math.floor(task.submitted / 1000),
    start_time: Math.floor(task.submitted / 1000),
    finish_time: status === 'SUCCESS' ? Math.floor(Date.now() / 1000) : 0,
    data: status === 'SUCCESS' && !empty ? songs : [],
  };
}
