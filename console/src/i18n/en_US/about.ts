import type { Texts } from '../texts.ts';

export const texts: Texts['about'] = {
  title: 'About',
  what: '{{name}} puts many AI providers behind one OpenAI-compatible API: one base URL and one token reach every model, and every charge can be traced.',
  how: 'Administrators can replace this page in the settings with Markdown, HTML or an embedded web page.',
  versionTitle: 'Version',
  startedTitle: 'Running since',
  sourceTitle: 'Source code',
  formatsTitle: 'API formats',
  formatsText:
    'Point an official client at the base URL of its format, with a token of this site as the key. Every format reaches every model.',
  pagesTitle: 'On this site',
  prices: 'Prices of all models',
  status: 'Availability of the last 90 days',
  reference: 'API reference',
  failed: 'Could not load the about page.',
};
