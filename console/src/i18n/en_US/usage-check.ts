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
  bound_limit: 'The upstream reported {{reported}} {{what}}, but the call allowed {{most}}. Charged {{charged}}.',
  bound_model_output:
    'The upstream reported {{reported}} {{what}}, but the model’s maximum is {{most}}. Charged {{charged}}.',
  bound_any_answer:
    'The upstream reported {{reported}} {{what}}, but no known model generates more than {{most}} in one answer. Charged {{charged}}.',
  bound_received:
    'The upstream reported {{reported}} {{what}}, but the received answer can contain at most {{most}}. Charged {{charged}}.',
  bound_sent:
    'The upstream reported {{reported}} {{what}}, but the sent request can contain at most {{most}}. Charged {{charged}}.',
  bound_context_window:
    'The upstream reported {{reported}} {{what}}, but the model’s context window is {{most}}. Charged {{charged}}.',
  bound_sound_length:
    'The upstream reported {{reported}} {{what}}, but the file can contain at most {{most}}. Charged {{charged}}.',
  bound_images_asked:
    'The upstream reported {{reported}} {{what}}, but the call requested at most {{most}}. Charged {{charged}}.',
  bound_seen:
    'The upstream reported {{reported}} {{what}}, far more than is visible (usually up to {{most}}). Charged as reported.',
  atChannel: 'This upstream reported impossible usage',
  atChannelText: 'Only the possible amount was charged. Check whether this upstream counts correctly.',
  when: '{{time}}, {{model}}',
  clear: 'Dismiss warning',
  cleared: 'Warning dismissed',
  openLog: 'View log row',
  clearFailed: 'Could not dismiss the warning',
};
