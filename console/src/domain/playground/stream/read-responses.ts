import {
  errorIn,
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
  type Json,
} from './delta.ts';

/** Reads events and replies of the Responses API. */
export const readResponses: DeltaReader = (event) => {
  const key = keyOr(event['item_id']);
  switch (event['type']) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return textDelta(event['delta']);
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return reasoningDelta(event['delta']);
    case 'response.output_item.added':
      return toolStart(objectOr(event['item']));
    case 'response.function_call_arguments.delta':
      return [{ tool: { key, input: textOr(event['delta']) } }];
    case 'response.completed':
    case 'response.incomplete':
      return endOf(objectOr(event['response']));
    case 'response.failed':
    case 'error':
      return failed(event);
    case undefined:
      return [...objects(event['output']).flatMap(wholeItem), ...endOf(event)];
    default:
      return [];
  }
};

const endOf = (response: Json): Delta[] => [
  ...finishDelta(objectOr(response['incomplete_details'])['reason'] ?? response['status']),
  ...usageDelta(response['usage'], 'input_tokens', 'output_tokens'),
];

function toolStart({ type, id, name }: Json): Delta[] {
  return type === 'function_call' ? [{ tool: { key: keyOr(id), name: textOr(name) } }] : [];
}

function wholeItem(item: Json): Delta[] {
  if (item['type'] === 'function_call')
    return [{ tool: { key: keyOr(item['id']), name: textOr(item['name']), input: textOr(item['arguments']) } }];
  if (item['type'] === 'reasoning') return objects(item['summary']).flatMap(({ text }) => reasoningDelta(text));
  return objects(item['content']).flatMap(({ text, refusal }) => [...textDelta(text), ...textDelta(refusal)]);
}

function failed(event: Json): Delta[] {
  const response = objectOr(event['response']);
  const error = errorIn(response, 0) ?? errorIn(event, 0) ?? errorIn({ error: event }, 0);
  return error ? [{ error }] : [];
}
