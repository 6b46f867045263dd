import { listOr } from '#json.ts';
import { type Fix, isOn, pluginText, where, whereSeen } from './fixes.ts';
import type { ProviderCall } from './operation.ts';
import { field } from './form.ts';

/** Only `auto` is supported. */
export const onlyAutoChoice: Fix = whereSeen(['"tool_choice"'], (body) => {
  const choice = body['tool_choice'];
  if (choice === undefined || choice === 'auto') return {};
  return choice === 'none' ? { tools: undefined, tool_choice: undefined } : { tool_choice: 'auto' };
});

/** Must be a list, with one element. */
export const oneTextStops: Fix = whereSeen(['"stop"'], (body) =>
  typeof body['stop'] === 'string' ? { stop: [body['stop']] } : {},
);

export const knowledgePlugin = {
  id: 'retrieval',
  fields: [field('knowledge_id', 'text', { required: true }), field('prompt_template', 'longtext')],
};

const hasVendorTools = (call: ProviderCall): boolean =>
  isOn(call, 'web_search') || pluginText(call, 'retrieval', 'knowledge_id') !== '';

/** The vendor's tools enabled by the operator: knowledge base, else web search. */
export const withVendorTools: Fix = where(hasVendorTools, (body, call) => {
  const knowledge_id = pluginText(call, 'retrieval', 'knowledge_id');
  const prompt_template = pluginText(call, 'retrieval', 'prompt_template');
  const retrieval = { knowledge_id, ...(prompt_template !== '' && { prompt_template }) };
  const tools = listOr(body['tools']);
  if (knowledge_id !== '') return { tools: [...tools, { type: 'retrieval', retrieval }] };
  return { tools: [...tools, { type: 'web_search', web_search: { enable: true } }] };
});
