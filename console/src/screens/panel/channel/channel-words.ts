import i18next from 'i18next';

/** This screen's texts for toasts that outlive it. */
export const channelWords = () => i18next.getFixedT(null, 'channel');
