import { behaviourOfModel, BehaviourError, readBehaviour, type Behaviour } from './behaviour.ts';
import { readCall, readFormCall, type SimulatedCall } from './call.ts';
import { chatReply } from './chat.ts';
import { completionReply } from './completions.ts';
import { embeddingsReply } from './embeddings.ts';
import { bodyForStatus, refusal } from './errors.ts';
import { spoil } from './faults.ts';
import type { KeptThings } from './kept-things.ts';
import { imagesReply, moderationReply, rerankReply, soundReply, speechReply, transcriptReply } from './media.ts';
import { modelListReply, modelReply } from './models.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';
import { cohereEmbedReply, cohereRerankReply, miniMaxSpeechReply } from './vendors.ts';

export interface SimulatedAnswer {
  behaviour: Behaviour;
  reply: SimulatedReply;
}

interface SimulatorState {
  /** Accepted keys; undefined accepts any non-empty one. */
  keys: readonly string[] | undefined;
  models: readonly string[];
  kept: KeptThings;
}

interface Endpoint {
  required: string;
  form?: boolean;
  answer: (call: SimulatedCall, behaviour: Behaviour) => SimulatedReply;
}

const endpoints: Record<string, Endpoint> = {
  '/v1/chat/completions': { required: 'messages', answer: chatReply },
  '/v1/completions': { required: 'prompt', answer: completionReply },
  '/v1/embeddings': { required: 'input', answer: embeddingsReply },
  '/v1/moderations': { required: 'input', answer: moderationReply },
  '/v1/rerank': { required: 'documents', answer: rerankReply },
  '/v1/images/generations': { required: 'prompt', answer: imagesReply },
  '/v1/images/edits': { required: 'prompt', form: true, answer: imagesReply },
  '/v1/images/variations': { required: 'image', form: true, answer: imagesReply },
  '/v1/audio/speech': { required: 'input', answer: speechReply },
  '/v1/audio/transcriptions': { required: 'file', form: true, answer: transcriptReply },
  '/v1/audio/translations': { required: 'file', form: true, answer: transcriptReply },
  '/v1/t2a_v2': { required: 'text', answer: miniMaxSpeechReply },
  '/v2/embed': { required: 'texts', answer: cohereEmbedReply },
  '/v2/rerank': { required: 'documents', answer: cohereRerankReply },
};

/** The reply to a request. Behaviour from the request (header, then model name) overrides the server's. */
export function answerTo(request: ReceivedRequest, configured: Behaviour, door: SimulatorState): SimulatedAnswer {
  try {
    const { authorization, 'ocp-apim-subscription-key': azure } = request.headers;
    const unwelcome = checkKey(typeof azure === 'string' ? `Bearer ${azure}` : authorization, door.keys);
    if (unwelcome) return { behaviour: {}, reply: unwelcome };
    return route(request, configured, door);
  } catch (error) {
    if (!(error instanceof BehaviourError)) throw error;
    return { behaviour: {}, reply: refusal(400, `x-sim: ${error.message}`, 'simulator_behaviour') };
  }
}

function route(request: ReceivedRequest, configured: Behaviour, { models, kept }: SimulatorState): SimulatedAnswer {
  const header = request.headers['x-sim'];
  const wish = typeof header === 'string' ? readBehaviour(header) : {};
  const effective = { ...configured, ...wish };
  const path = request.path.replace(/\?.*/s, '');
  if (path === '/v1/models' || path.startsWith('/v1/models/')) {
    if (request.method !== 'GET') return { behaviour: effective, reply: wrongMethod(request.method, path) };
    const id = path.slice('/v1/models/'.length);
    return finished(effective, () => (id === '' ? modelListReply(models) : modelReply(models, id)));
  }
  const { status = 200, fault } = effective;
  const thing = status === 200 && fault === undefined ? kept.answer(request) : undefined;
  if (thing) return finished(effective, () => thing);
  if (path === '/cognitiveservices/v1') return finished(effective, () => soundReply(effective));
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (!endpoint) return { behaviour: effective, reply: refusal(404, `Invalid URL (${request.method} ${path})`, null) };
  if (request.method !== 'POST') return { behaviour: effective, reply: wrongMethod(request.method, path) };
  const call = endpoint.form ? readFormCall(request.raw, endpoint.required) : readCall(request.body, endpoint.required);
  if ('status' in call) return { behaviour: effective, reply: call };
  const named = behaviourOfModel(call.model);
  const behaviour = named ? { ...configured, ...named, ...wish } : effective;
  return finished(behaviour, () => endpoint.answer(call, behaviour));
}

function finished(behaviour: Behaviour, makeReply: () => SimulatedReply): SimulatedAnswer {
  const { status = 200, error, headers, fault } = behaviour;
  const failed = status !== 200 && fault !== 'html';
  let reply = failed ? jsonReply(status, error ?? bodyForStatus(status)) : makeReply();
  if (fault !== undefined) reply = spoil(reply, behaviour);
  if (headers) reply = { ...reply, headers: { ...reply.headers, ...headers } };
  return { behaviour, reply };
}

function wrongMethod(method: string, path: string): SimulatedReply {
  return refusal(
    405,
    `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    null,
  );
}

/** The refusal of a caller without an accepted key. */
export function checkKey(
  authorization: string | undefined,
  keys: readonly string[] | undefined,
): SimulatedReply | undefined {
  const key = authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : '';
  if (key === '') {
    return refusal(
      401,
      "You didn't provide an API key. Provide it in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      null,
    );
  }
  if (!keys || keys.includes(key)) return undefined;
  return refusal(401, `Incorrect API key provided: ${masked(key)}.`, 'invalid_api_key');
}

const masked = (key: string) => (key.length < 12 ? '*'.repeat(key.length) : `${key.slice(0, 8)}****${key.slice(-4)}`);
