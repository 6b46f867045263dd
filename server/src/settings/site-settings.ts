import { baseAddress } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { cleanOperatorText } from '#http/clean-html.ts';
import { builtInChatLinks } from './long-defaults.ts';
import { filled, json, line, pictureAddress, plain, setting, webAddress } from './setting.ts';

/** Applications have their own URL schemes; schemes that run scripts are refused. */
const chatAddress = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, { error: 'chat.address' }),
    z.maxLength(2000),
    z.regex(/^(?!(javascript|data|vbscript|file|blob|about):)[a-z][a-z0-9+.-]*:\S+$/i, { error: 'chat.address' }),
  );

const chatLinks = z
  .array(
    z.object({
      name: z.string().check(z.trim(), z.minLength(1, { error: 'chat.name' }), z.maxLength(60)),
      url: chatAddress,
      show: z.boolean(),
      sort: z.number(),
    }),
  )
  .check(z.maxLength(100));

/** HTML by the operator for visitors, cleaned so that no script in it runs. */
const operatorText = (max: number) => plain(max).check(z.overwrite(cleanOperatorText), z.maxLength(max));

export const siteSettings = {
  SystemName: setting('Relay Hub', line(60).check(filled)),
  Logo: setting('', pictureAddress),
  Footer: setting('', operatorText(20_000)),
  Notice: setting('', operatorText(100_000)),
  /** Markdown, HTML or a URL. `HomePageContent` likewise. */
  About: setting('', operatorText(150_000)),
  HomePageContent: setting('', operatorText(150_000)),
  Language: setting('zh_CN', z.enum(['zh_CN', 'zh_HK', 'en_US', 'ja_JP'])),
  /** Replaces the URL of the first built-in chat client. */
  ChatLink: setting('', webAddress),
  ChatLinks: setting(JSON.stringify(builtInChatLinks), json(chatLinks)),
  /** Where to check for new versions; empty: no check. */
  UpdateSource: setting('', baseAddress),
};
