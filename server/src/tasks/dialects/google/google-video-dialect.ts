/** Google's long-running video operations, as clients of the Gemini API and of Vertex AI speak them. */
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { decodeName, splitUrl } from '#relay/body/url-query.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { callersVideo, stopVideo } from '#tasks/dialects/video/own-videos.ts';
import type { Json } from '#json.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { readMembers } from '../read-ids.ts';
import { sendJson } from '../send-json.ts';
import { versionOf } from './interactions.ts';
import { predictOrder, taskIdIn } from './predict-order.ts';

/** The Gemini API names a model only, Vertex AI its publisher and a project too. */
const googleModels = ['', 'projects/{project}/locations/{location}/'].flatMap((project) =>
  ['', 'publishers/google/'].map((publisher) => `/gemini/{version}/${project}${publisher}models/{resource}`),
);

export const googleVideoRows: readonly PathRow[] = googleModels.flatMap((models): PathRow[] => [
  {
    path: `${models}:predictLongRunning`,
    endpoint: '/gemini/:predictLongRunning',
    answers: { POST: (context, [model = '']) => submit(context, decodeName(model)) },
  },
  {
    path: `${models}:fetchPredictOperation`,
    endpoint: '/gemini/:fetchPredictOperation',
    answers: { POST: fetchNamed },
  },
  {
    path: `${models}/operations/{name}`,
    endpoint: '/gemini/:operation',
    answers: { GET: (context) => fetchOperation(context, resourceOf(context), 'gemini') },
  },
  {
    path: `${models}/operations/{name}:cancel`,
    endpoint: '/gemini/:cancel',
    answers: { POST: (context, [, id = '']) => cancelOperation(context, id) },
  },
]);

/** What a path names below its version, as the caller wrote it. */
const resourceOf = ({ request: { url = '' } }: HttpContext): string => splitUrl(url).path.split('/').slice(3).join('/');

function submit(context: HttpContext, model: string): Promise<void> {
  const resource = resourceOf(context).replace(/:predictLongRunning$/, '');
  return taskCall(context, {
    endpoint: `/gemini/${versionOf(context)}/models/:predictLongRunning`,
    platform: 'video',
    dialect: 'gemini',
    repeats: true,
    order: (caller, body) => predictOrder(context.deps, caller, body, model),
    reply: ({ taskId }) => ({ name: `${resource}/operations/${taskId}` }),
  });
}

async function fetchOperation(context: HttpContext, name: string, form: 'gemini' | 'vertex'): Promise<void> {
  const task = await callersVideo(context, taskIdIn(name), 'gemini');
  sendJson(context, operationObject(context, task, { name, form }));
}

/** Clients of Vertex AI send the operation's name in a body. */
async function fetchNamed(context: HttpContext): Promise<void> {
  const { caller } = await authenticate(context, 'gemini');
  const { operationName: name } = await readMembers(context, caller.userId, 'google');
  if (typeof name !== 'string' || name.length > 500 || taskIdIn(name) === '')
    throw invalidTask("'operationName' is required.", 'operationName');
  await fetchOperation(context, name, 'vertex');
}

async function cancelOperation(context: HttpContext, id: string): Promise<void> {
  await stopVideo(context, await callersVideo(context, id, 'gemini'));
  sendJson(context, {});
}

/**
 * A task as Google's long-running operation. `form`: the Gemini API and Vertex AI place the video differently. Its
 * address is a signed one of this server in both.
 */
function operationObject(
  context: HttpContext,
  task: TaskRow,
  { name, form }: { name: string; form: 'gemini' | 'vertex' },
): Json {
  const { status, fail_reason } = task;
  if (status === 'FAILURE' || status === 'CANCEL')
    // INTERNAL and CANCELLED.
    return { name, done: true, error: { code: status === 'CANCEL' ? 1 : 13, message: fail_reason } };
  if (status !== 'SUCCESS') return { name, metadata: { progressPercent: task.progress }, done: false };
  const files = task.media.map((file, index) => ({
    url: mediaAddress(context, task, index),
    type: file.type || 'video/mp4',
  }));
  if (form === 'vertex')
    return {
      name,
      done: true,
      response: {
        '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
        raiMediaFilteredCount: 0,
        videos: files.map(({ url, type }) => ({ gcsUri: url, mimeType: type })),
      },
    };
  const generatedSamples = files.map(({ url, type }) => ({ video: { uri: url, encoding: type } }));
  return { name, done: true, response: { generateVideoResponse: { generatedSamples } } };
}
