import { AnthropicVendor } from './anthropic-vendor.ts';
import { chatVendor, openAiRefusal } from './chat-vendor.ts';
import { geminiVendor } from './gemini-vendor.ts';
import { ResponsesVendor } from './responses-vendor.ts';
import { serveVendor, type VendorRequest, type VendorServer } from './vendor-server.ts';

/** Channel types of the simulated vendors, with the model that each serves. */
export const agentVendors = {
  openai: { title: 'OpenAI', type: 1, model: 'gpt-5-mini' },
  anthropic: { title: 'Anthropic', type: 14, model: 'claude-sonnet-4-5' },
  gemini: { title: 'Gemini', type: 25, model: 'gemini-3.1-pro-preview' },
  chatOnly: { title: 'OpenAI-compatible, chat only', type: 8, model: 'llama-4-maverick' },
  deepseek: { title: 'DeepSeek', type: 28, model: 'deepseek-reasoner' },
} as const;
export type AgentVendor = keyof typeof agentVendors;
export const vendorNames = Object.keys(agentVendors) as AgentVendor[]; // its keys

export type AgentVendors = Record<AgentVendor, VendorServer>;

/** Starts strict simulations of all vendors. */
export async function startAgentVendors(): Promise<AgentVendors> {
  const openAiChat = chatVendor({ refusesSampling: /^(gpt-5|o\d)/, reasoningModels: /^(gpt-5|o\d)/ });
  const responses = new ResponsesVendor();
  const anthropic = new AnthropicVendor();
  const chatOnly = chatVendor({ reasoningModels: /^$/ });
  const deepseek = chatVendor({ fields: ['thinking'], reasoningContent: true, reasoningModels: /reasoner/ });
  const onlyChat = (answer: typeof chatOnly) => (request: VendorRequest) => {
    if (request.path.endsWith('/chat/completions')) return answer(request);
    throw openAiRefusal(404, `Not Found: ${request.path}`);
  };
  const openai = (request: VendorRequest) => responses.answer(request) ?? onlyChat(openAiChat)(request);
  return {
    openai: await serveVendor(openai),
    anthropic: await serveVendor((request) => anthropic.answer(request)),
    gemini: await serveVendor(geminiVendor),
    chatOnly: await serveVendor(onlyChat(chatOnly)),
    deepseek: await serveVendor(onlyChat(deepseek)),
  };
}
