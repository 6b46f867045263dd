/** Formats of a bot message, as the Bot API spells them; `html` in any case. */
export const botFormats = ['MarkdownV2', 'Markdown', 'html'] as const;
export type BotFormat = (typeof botFormats)[number];

/** Commands that the bot answers itself, in the order of its menu. */
export const botCommands = ['bind', 'unbind', 'balance', 'recharge', 'apikey', 'aff'] as const;
export type BotCommand = (typeof botCommands)[number];

/** Longest text that the Bot API takes. */
export const LONGEST_BOT_TEXT = 4096;
