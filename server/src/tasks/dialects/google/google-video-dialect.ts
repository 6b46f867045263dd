/** Google's long-running video operations, as clients of the Gemini API and of Vertex AI speak them. */
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathOwner, ServedPath } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { decodedPart } from '../decoded-part.ts';
import { readMembers } from '../read-ids.ts';
import { sendJson } from '../send-json.ts';
import { callersVideo, stopVideo } from '#tasks/dialects/video/own-videos.ts';
import { interactionPath } from './interactions.ts';
import { operationObject } from './operation-object.ts';
import { predictOrder, taskIdIn } from './predict-order.ts';

/** Version, the publisher's or the project's prefix, and the rest. */
const anyPath =
  /^\/gemini\/(v\d[\w.-]*)\/((?:projects\/[\w.:-]+\/locations\/[\w-]+\/)?(?:publishers\/google\/)?models\/([^/:]{1,200}))(:\w+|\/operations\/.+)$/;

export const googleVideoDialect: PathOwner = {
  find(path) {
    return interactionPath(path) ?? operationPath(path);
  },
};

function operationPath(path: string): ServedPath | undefined {
  const [, version = '', resource = '', text = '', rest = ''] = anyPath.exec(path) ?? [];
  const model = decodedPart(text) ?? '';
  if (model === '') return undefined;
  const endpoint = `/gemini/${version}/models/:${rest.startsWith('/') ? 'operation' : rest.slice(1)}`;
  if (rest === ':predictLongRunning')
    return { endpoint, answers: { POST: (context) => submit(context, { endpoint, resource, model }) } };
  if (rest === ':fetchPredictOperation') return { endpoint, answers: { POST: fetchNamed } };
  const [, id, cancel] = /^\/operations\/([\w-]{1,100})(:cancel)?$/.exec(rest) ?? [];
  if (id === undefined) return undefined;
  return cancel === undefined
    ? { endpoint, answers: { GET: (context) => fetchOperation(context, `${resource}/operations/${id}`, 'gemini') } }
    : { endpoint: `${endpoint}:cancel`, answers: { POST: (context) => cancelOperation(context, id) } };
}

interface Submitting {
  endpoint: string;
  /** The model as its path names it. */
  resource: string;
  model: string;
}

const submit = (context: HttpContext, { endpoint, resource, model }: Submitting): Promise<void> =>
  taskCall(context, {
    endpoint,
    platform: 'video',
    dialect: 'gemini',
    repeats: true,
    order: (caller, body) => predictOrder(context.deps, caller, body, model),
    reply: ({ taskId }) => ({ name: `${resource}/operations/${taskId}` }),
  });

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
