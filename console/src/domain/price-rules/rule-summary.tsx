import type { PriceTerms, PriceUnit } from '@relay-hub/contract';
import { Fragment } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { Chip } from '#ui/basic/chip.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { ruleWords, type RuleWords } from './rule-words.ts';
import { rulesAhead } from './rules-ahead.ts';

export function useRuleWords(): RuleWords {
  const { t } = useTranslation('priceRule');
  return ruleWords(t, languageTag());
}

interface Props {
  terms: PriceTerms;
  groupRatio: number;
  unit: PriceUnit;
}

/** The rules and fees of a price, one text each, with amounts for a group; those that have ended are left out. */
function useRuleLines({ terms, groupRatio, unit }: Props): string[] {
  const words = useRuleWords();
  const now = useNow(600);
  const style = { unit, groupRatio, perCall: terms.type === 'times' };
  return [
    ...rulesAhead(terms.rules, now).map((rule) => words.rule(rule, style)),
    ...(terms.fees ?? []).map((fee) => words.fee(fee, style)),
  ];
}

/** The same in a row of text. */
export function RuleLine(props: Props) {
  return useRuleLines(props).map((line, at) => (
    <Fragment key={line}>
      {at > 0 && (
        <span aria-hidden className="text-text3">
          {' '}
          ·{' '}
        </span>
      )}
      <span>{line}</span>{' '}
    </Fragment>
  ));
}

/** The same as a list. */
export function RuleList({ className, ...props }: Props & { className?: string | undefined }) {
  const lines = useRuleLines(props);
  if (lines.length === 0) return null;
  return (
    <ul className={className}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Their number; the tooltip has them in words. */
export function RulesChip(props: Props) {
  const { t } = useTranslation('priceRule');
  const lines = useRuleLines(props);
  const all = lines.map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
  return (
    <Tooltip text={all}>
      <span className="flex-none">
        <Chip tone="outline">{t('count', { count: lines.length })}</Chip>
      </span>
    </Tooltip>
  );
}
