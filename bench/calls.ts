const messages = [
  {
    role: 'system',
    content:
      'You are a helpful assistant. Answer briefly, in the language of the question, and say so when you do not know.',
  },
  {
    role: 'user',
    content: 'What is the difference between a process and a thread, and when would I choose one over the other?',
  },
];

export const jsonCall = { model: 'gpt-4o-mini', messages, temperature: 0.7, max_tokens: 512 };

/** The simulated and the stamped provider take their parameters from the model name. */
export const streamCall = (provider: 'sim' | 'stamped', chunks: number, chunkMs: number) => ({
  ...jsonCall,
  model: `${provider}:chunks=${chunks};chunkMs=${chunkMs}`,
  stream: true,
  stream_options: { include_usage: true },
});
