/** Jimeng's actions of visual.volcengineapi.com, in the vendor's form but with an API key of this server. */
import { type Json, textOr } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { findOwnTask, type TaskRow } from '#tasks/task-rows.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { readMembers } from '../read-ids.ts';
import { sendJson } from '../send-json.ts';
import { mediaList, promptField, textField, wholeField } from '#tasks/dialects/video/fields.ts';
import { orderedVideo } from '#tasks/dialects/video/ordered-video.ts';

const ENDPOINT = '/jimeng';
const SUCCESS = 10_000;

export const jimengRows: readonly PathRow[] = [
  { path: ENDPOINT, endpoint: ENDPOINT, answers: { POST: answer } },
  { path: `${ENDPOINT}/*`, errorBody },
];

function errorBody({ status, message }: RelayError, requestId: string): string {
  return JSON.stringify({ code: codeOf(status), data: null, message, request_id: requestId, status: codeOf(status) });
}

/** The vendor's numbers for a refusal. */
const codeOf = (status: number): number => (status === 429 ? 50_429 : status >= 500 ? 50_500 : 50_400);

async function answer(context: HttpContext): Promise<void> {
  const action = queryOf(context).get('Action');
  if (action === 'CVSync2AsyncSubmitTask') return submit(context);
  if (action === 'CVSync2AsyncGetResult') return fetchResult(context);
  throw invalidTask('The Action must be CVSync2AsyncSubmitTask or CVSync2AsyncGetResult.', 'Action');
}

const enveloped = ({ requestId }: HttpContext, data: Json): Json => ({
  code: SUCCESS,
  data,
  message: 'Success',
  request_id: requestId,
  status: SUCCESS,
});

const submit = (context: HttpContext): Promise<void> =>
  taskCall(context, {
    endpoint: ENDPOINT,
    platform: 'video',
    repeats: true,
    order: (_, body) => orderOf(body),
    reply: ({ taskId }) => enveloped(context, { task_id: taskId }),
  });

const read = new Set(
  'req_key prompt image_urls binary_data_base64 seed aspect_ratio frames callback_url req_json'.split(' '),
);
/** Frames of a clip by its length: 24 per second and one more. */
const lengths: Readonly<Record<number, number>> = { 121: 5, 241: 10 };

function orderOf(body: Json): OrderedTask {
  const model = textField(body, 'req_key', 200);
  if (model === undefined) throw invalidTask("'req_key' is required.", 'req_key');
  const frames = wholeField(body, 'frames');
  if (frames !== undefined && lengths[frames] === undefined)
    throw invalidTask("'frames' is not valid: it must be 121 or 241.", 'frames');
  const pictures = [
    ...mediaList(body['image_urls'], 'image_urls'),
    ...mediaList(body['binary_data_base64'], 'binary_data_base64'),
  ];
  if (pictures.length > 2) throw invalidTask("'image_urls' has more than two pictures.", 'image_urls');
  const seed = wholeField(body, 'seed');
  const [firstFrame, lastFrame] = pictures;
  const extra = Object.fromEntries(Object.entries(body).filter(([name, value]) => !read.has(name) && value !== null));
  return orderedVideo({
    model,
    body,
    video: {
      kind: 'generate',
      prompt: promptField(body, !firstFrame),
      seconds: frames === undefined ? undefined : lengths[frames],
      ratio: textField(body, 'aspect_ratio', 20),
      firstFrame,
      lastFrame,
      // The vendor's word for a random one.
      seed: seed === -1 ? undefined : seed,
      ...(Object.keys(extra).length > 0 && { extra }),
    },
    notifyHook: '',
  });
}

async function fetchResult(context: HttpContext): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const { task_id: asked } = await readMembers(context, caller.userId);
  const taskId = textOr(asked, '');
  if (taskId === '') throw invalidTask("'task_id' is required.", 'task_id');
  await deps.book.caughtUp();
  const task = await findOwnTask(deps.db, caller.userId, 'video', taskId);
  sendJson(context, task ? resultOf(context, task) : enveloped(context, { status: 'not_found', video_url: '' }));
}

function resultOf(context: HttpContext, task: TaskRow): Json {
  const { status, fail_reason } = task;
  if (status === 'SUCCESS') return enveloped(context, { status: 'done', video_url: mediaAddress(context, task, 0) });
  if (status !== 'FAILURE' && status !== 'CANCEL')
    return enveloped(context, { status: status === 'IN_PROGRESS' ? 'generating' : 'in_queue', video_url: '' });
  const code = 50_500;
  return { code, data: null, message: fail_reason, request_id: context.requestId, status: code };
}
