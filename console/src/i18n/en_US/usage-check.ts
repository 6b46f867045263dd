import type { Texts } from '../texts.ts';

export const texts: Texts['usageCheck'] = {
  mark_implausible: 'Implausible usage',
  mark_unusual: 'Unusual usage',
  short_implausible: 'Implausible',
  short_unusual: 'Unusual',
  counter_input: 'input tokens',
  counter_output: 'output tokens',
  counter_seconds: 'seconds of audio',
  counter_images: 'images',
  counter_searches: 'searches',
  bound_limit: 'Reported {{reported}} {{what}}; the call allowed {{most}}. Charged {{charged}}.',
  bound_model_output: "Reported {{reported}} {{what}}; the model's largest answer is {{most}}. Charged {{charged}}.",
  bound_any_answer:
    'Reported {{reported}} {{what}}; no known model writes more than {{most}} in one answer. Charged {{charged}}.',
  bound_received:
    'Reported {{reported}} {{what}}; the answer that came can hold {{most}} at most. Charged {{charged}}.',
  bound_sent:
    'Reported {{reported}} {{what}}; the request that was sent can hold {{most}} at most. Charged {{charged}}.',
  bound_context_window:
    "Reported {{reported}} {{what}}; the model's context window allows {{most}}. Charged {{charged}}.",
  bound_sound_length: 'Reported {{reported}} {{what}}; the file can hold {{most}} at most. Charged {{charged}}.',
  bound_images_asked: 'Reported {{reported}} {{what}}; the call asked for {{most}} at most. Charged {{charged}}.',
  bound_seen: 'Reported {{reported}} {{what}}, far more than is visible (usually up to {{most}}). Charged as reported.',
  atChannel: 'This upstream reported more usage than a call can have',
  atChannelText: 'The usage was charged only up to what is possible. Check whether this upstream counts correctly.',
  when: '{{time}}, {{model}}',
  clear: 'Mark as seen',
  cleared: 'The warning is cleared',
  openLog: 'Open the log row',
  clearFailed: 'The warning was not cleared',
};
