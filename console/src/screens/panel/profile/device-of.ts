/** A device, derived from its User-Agent header. */
export interface Device {
  kind: 'desk' | 'phone' | 'program' | 'unknown';
  /** "Chrome 142", "curl 8.9". */
  name: string;
  /** "macOS", "Windows". */
  system: string;
}

/** Order matters: most browsers also claim to be others. */
const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdgA?(?:iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['WeChat', /\bMicroMessenger\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\b/],
];

const systems: [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** Short name for a User-Agent header; programs keep the name they send. */
export function deviceOf(userAgent: string): Device {
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? '';
  for (const [browser, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const isPhone = /\bMobile\b|\biPhone\b|\bAndroid\b/.test(userAgent);
    return { kind: isPhone ? 'phone' : 'desk', name: `${browser} ${version}`, system };
  }
  const [, program, version] = /^([\w.-]{1,30})(?:\/(\d[\w.]{0,15}))?/.exec(userAgent) ?? [];
  if (program === undefined || program === 'Mozilla') return { kind: 'unknown', name: '', system };
  return { kind: 'program', name: version === undefined ? program : `${program} ${version}`, system };
}
