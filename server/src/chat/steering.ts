import type { Json } from '#json.ts';
import { type ChatRequest, type Effort, efforts, type Reasoning } from './chat.ts';

/** The reasoning suffix of a model name, such as `o3#high`. `thinking` means any amount. */
export type Steering = Effort | 'thinking';

export const steerings: readonly Steering[] = [...efforts, 'thinking'];

/** Splits a model name at its first `#`; text after a second `#` is ignored. */
export function splitModel(name: string): { model: string; behind: string | undefined } {
  const [model = '', behind] = name.split('#', 2);
  return { model, behind };
}

/** Undefined if the suffix is not about reasoning. */
export const steeringOf = (behind: string | undefined): Steering | undefined =>
  steerings.find((one) => one === behind?.toLowerCase());

/**
 * Combines a request's reasoning with the suffix. An effort replaces the request's own; `thinking` applies only if the
 * request has none.
 */
export function steered(own: Reasoning | undefined, steering: Steering): Reasoning {
  if (steering === 'none') return { effort: steering, show: false, insisted: true };
  if (steering !== 'thinking') return { effort: steering, show: own?.show, insisted: true };
  const says = own?.effort !== undefined || own?.budget !== undefined || own?.dynamic === true;
  return says ? own : { effort: 'high', show: own?.show, insisted: true };
}

/** Applies the suffix to a chat. Callers of OpenAI's dialect are shown the reasoning. */
export function steeredChat(chat: ChatRequest, steering: Steering, show: boolean | undefined): ChatRequest {
  const reasoning = steered(chat.reasoning, steering);
  return { ...chat, reasoning: { ...reasoning, show: reasoning.show ?? show } };
}

/** Drops the additions that the body already has, if the suffix is `thinking`. */
export const unlessSet = (body: Json, steering: Steering, added: Json): Json =>
  steering === 'thinking'
    ? Object.fromEntries(Object.entries(added).filter(([name]) => (body[name] ?? null) === null))
    : added;
