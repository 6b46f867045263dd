import {
  finishDelta,
  keyOr,
  objectOr,
  objects,
  reasoningDelta,
  textDelta,
  textOr,
  usageDelta,
  type Delta,
  type DeltaReader,
} from './delta.ts';

/** Reads chunks and replies of Chat Completions; vendors name reasoning in two ways. */
export const readChat: DeltaReader = (event) => {
  const [choice = {}] = objects(event['choices']);
  const message = objectOr(choice['delta'] ?? choice['message']);
  return [
    ...reasoningDelta(message['reasoning_content'] ?? message['reasoning']),
    ...textDelta(message['content']),
    ...textDelta(message['refusal']),
    ...objects(message['tool_calls']).map(toolDelta),
    ...finishDelta(choice['finish_reason']),
    ...usageDelta(event['usage'], 'prompt_tokens', 'completion_tokens'),
  ];
};

function toolDelta(call: Record<string, unknown>, index: number): Delta {
  const { name, arguments: input } = objectOr(call['function']);
  return { tool: { key: keyOr(call['index'] ?? index), name: textOr(name), input: textOr(input) } };
}
