import i18next from 'i18next';

/** This screen's texts for toasts that outlive it. */
export const channelTexts = () => i18next.getFixedT(null, 'channel');
