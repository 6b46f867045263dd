/** The marks in `console/public/icons`, by use. Their licences are in `LICENSES.txt` there. */
const names = [
  // Providers and model owners
  'ai360 anthropic baichuan cerebras claude cloudflare cohere coze deepseek doubao fal fireworks flux gemini grok',
  'groq hunyuan ideogram jimeng jina kling lmstudio luma meta midjourney minimax mistral moonshot nvidia ollama',
  'openai perplexity qwen recraft replicate runway siliconcloud spark stability suno together vidu vllm volcengine',
  'wenxin yi zhipu',
  // Tools
  'cherrystudio claudecode cline codex cursor dify geminicli langchain n8n opencode openwebui roocode vercel zed',
  // Languages
  'curl go java python typescript',
  // Sign-in methods and payment kinds
  'alipay github openid stripe telegram wechat',
];

/** The name of each mark; its picture is `/icons/<name>.svg`. */
export const markNames: ReadonlySet<string> = new Set(names.join(' ').split(' '));
