import { useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatFixed, formatSeconds, formatWhole } from '#ui/format/number.ts';
import type { ModelAnswer } from '#domain/playground/playground-types.ts';

/** Signs per token, for the speed while the usage is not known. */
const SIGNS_PER_TOKEN = 4;

/** Tokens, cost and speed of an answer; running numbers are estimates and say so. */
export function AnswerFacts({ answer }: { answer: ModelAnswer }) {
  const { t } = useTranslation('playground');
  const { state, usage, charged, firstMs, totalMs } = answer;
  const running = state === 'running';
  const elapsedMs = useElapsed(running);
  const signs = answer.text.length + answer.reasoning.length;
  const output = usage && usage.output > 0 ? usage.output : signs > 0 ? Math.ceil(signs / SIGNS_PER_TOKEN) : 0;
  const isEstimate = !usage || usage.output === 0;
  const spanMs = (totalMs ?? elapsedMs) - (firstMs ?? 0);
  const speed = firstMs !== undefined && output > 1 && spanMs > 50 ? (output / spanMs) * 1000 : undefined;
  const about = isEstimate ? '≈ ' : '';
  const facts = [
    usage && usage.input > 0 && t('tokensIn', { count: usage.input, number: formatWhole(usage.input) }),
    output > 0 && about + t('tokensOut', { count: output, number: formatWhole(output) }),
    charged !== undefined && (charged > 0 || state !== 'failed') && <Money key="cost" credits={charged} exact />,
    firstMs !== undefined && answer.sent?.form === undefined && t('firstToken', { time: formatSeconds(firstMs) }),
    speed !== undefined && about + t('speed', { number: formatFixed(speed, 1) }),
    totalMs !== undefined && totalMs > 0 && formatSeconds(totalMs),
  ].filter((fact) => fact !== false && fact !== undefined);
  return (
    <div
      className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-12 text-text2 tabular-nums"
      data-answer={state}
    >
      {running && (
        <span className="flex items-center gap-1.5">
          <Spinner size={14} />
          {t('answering')}
        </span>
      )}
      {state === 'stopped' && (
        <span className="flex items-center gap-2">
          {t('stopped')}
          {facts.length > 0 && <span aria-hidden>·</span>}
        </span>
      )}
      {facts.map((fact, index) => (
        <span key={index} className="flex items-center gap-2">
          {fact}
          {index < facts.length - 1 && <span aria-hidden>·</span>}
        </span>
      ))}
    </div>
  );
}

/** Milliseconds since the answer was requested, while it runs. */
function useElapsed(running: boolean): number {
  const [startMs] = useState(() => performance.now());
  const [nowMs, setNowMs] = useState(startMs);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNowMs(performance.now()), 500);
    return () => clearInterval(timer);
  }, [running]);
  return nowMs - startMs;
}
