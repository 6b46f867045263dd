const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});
const whole = new Intl.NumberFormat('en-US');

/** The settings that decide how credits are shown. */
export interface CreditsDisplay {
  DisplayInCurrencyEnabled: boolean;
  QuotaPerUnit: number;
}

/** Credits as the site shows them: in dollars with the necessary digits, or as credits without a unit. */
export const creditsText = (credits: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: CreditsDisplay): string =>
  DisplayInCurrencyEnabled ? dollars.format(credits / QuotaPerUnit) : whole.format(credits);
