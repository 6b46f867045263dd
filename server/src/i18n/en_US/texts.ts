import type { LanguageTexts } from '../text-types.ts';
import { alarms } from './alarms.ts';
import { bot } from './bot.ts';
import { csv } from './csv.ts';
import { entries } from './entries.ts';
import { errors, rules } from './errors.ts';
import { mail } from './mail.ts';
import { problems } from './problems.ts';

export const en_US: LanguageTexts = { errors, rules, problems, csv, mail, alarms, bot, entries, providers: {} };
