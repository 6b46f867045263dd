import i18next from 'i18next';

/** The words of this screen for what outlives it: toasts of work that goes on when the page is left. */
export const channelWords = () => i18next.getFixedT(null, 'channel');
