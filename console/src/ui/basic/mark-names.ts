/** The marks in `marks.svg`, by use. Their licences are in `console/public/icons/LICENSES.txt`. */
const names = [
  // Providers and model owners
  'ai360 alibaba anthropic antigravity azure baichuan bedrock cerebras claude cloudflare cohere coze databricks',
  'deepseek doubao fal fireworks flux gemini grok groq hunyuan ideogram jimeng jina kling lmstudio luma meta',
  'midjourney minimax mistral moonshot nvidia ollama openai openrouter palm perplexity qwen recraft replicate runway',
  'siliconcloud spark stability suno together vertexai vidu vllm volcengine wenxin yi zhipu',
  // Tools
  'cherrystudio claudecode cline codex cursor dify geminicli langchain n8n opencode openwebui roocode vercel zed',
  // Languages
  'curl go java python typescript',
  // Sign-in methods and payment kinds
  'alipay github openid stripe telegram wechat',
  // Any server of a known protocol
  'compatible',
];

/** The name of each mark: the id of its picture. */
export const markNames: ReadonlySet<string> = new Set(names.join(' ').split(' '));
