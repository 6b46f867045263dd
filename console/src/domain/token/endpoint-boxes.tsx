import { type LimitEndpoint, limitEndpoints } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';

interface Props {
  chosen: readonly LimitEndpoint[];
  onChange: (chosen: LimitEndpoint[]) => void;
}

/** The kinds of endpoints that a token can be limited to; none is all. */
export function EndpointBoxes({ chosen, onChange }: Props) {
  const { t } = useTranslation('token');
  return (
    <fieldset>
      <legend className="mb-1.5 text-13 font-title">{t('endpoints')}</legend>
      <div className="grid grid-cols-3 gap-x-4 gap-y-2 max-sm:grid-cols-2">
        {limitEndpoints.map((name) => (
          <label key={name} className="flex min-w-0 items-center gap-2 text-13 max-sm:min-h-9">
            <Checkbox
              checked={chosen.includes(name)}
              onChange={(on) => onChange(limitEndpoints.filter((one) => (one === name ? on : chosen.includes(one))))}
            />
            <span className="truncate">{t(`endpointNames.${name}`)}</span>
          </label>
        ))}
      </div>
      <p className="mt-1.5 text-12 text-text3">{t('endpointsHint')}</p>
    </fieldset>
  );
}
