import { type ChatRequest, type Effort, efforts, type Json, type Reasoning } from './chat.ts';

/** How much a model is to reason, as it stands behind its name: `o3#high`. `thinking`: it is to, however much. */
export type Steering = Effort | 'thinking';

export const steerings: readonly Steering[] = [...efforts, 'thinking'];

/** A model's name, and what stands behind its first `#`; of more than one, only the first counts. */
export function splitModel(name: string): { model: string; behind: string | undefined } {
  const [model = '', behind] = name.split('#', 2);
  return { model, behind };
}

/** Undefined: it says nothing of reasoning. */
export const steeringOf = (behind: string | undefined): Steering | undefined =>
  steerings.find((one) => one === behind?.toLowerCase());

/**
 * What a request asks for with what stands behind the model's name. An effort takes the place of the request's own;
 * `thinking` says something only where the request is silent.
 */
export function steered(own: Reasoning | undefined, steering: Steering): Reasoning {
  if (steering === 'none') return { effort: steering, show: false, insisted: true };
  if (steering !== 'thinking') return { effort: steering, show: own?.show, insisted: true };
  const says = own?.effort !== undefined || own?.budget !== undefined || own?.dynamic === true;
  return says ? own : { effort: 'high', show: own?.show, insisted: true };
}

/** A whole chat with what stands behind the model's name. Whoever speaks OpenAI's dialect reads what it thinks. */
export function steeredChat(chat: ChatRequest, steering: Steering, show: boolean | undefined): ChatRequest {
  const reasoning = steered(chat.reasoning, steering);
  return { ...chat, reasoning: { ...reasoning, show: reasoning.show ?? show } };
}

/** Of what reasoning adds to a body, `thinking` leaves what the body says itself. */
export const unlessSaid = (body: Json, steering: Steering, added: Json): Json =>
  steering === 'thinking'
    ? Object.fromEntries(Object.entries(added).filter(([name]) => (body[name] ?? null) === null))
    : added;
