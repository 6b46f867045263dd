import { i18n } from '#i18n/t.ts';

/** This screen's texts for toasts that outlive it. */
export const channelTexts = () => i18n.translator('channel');
