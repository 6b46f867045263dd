import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** A self-signed certificate for `localhost` with its key, for tests only. */
export const testCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUR7b1wf3kR7cX7JgTuKRv1o+ftnMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE4MDMzNVoYDzIxMjYxMDI3
MTgwMzM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARTaeI0iEQNhDByAaC0LOEQ/wQ0k5TsCsSmf420HJ7biQNchaR5ycuP
szZD/XCiBLkTu0aE5efpaXhQFvh0sPuro28wbTAdBgNVHQ4EFgQUuudyE+XehV9o
/+UOrTweq4hbVkswHwYDVR0jBBgwFoAUuudyE+XehV9o/+UOrTweq4hbVkswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgEZy9BUntn1co/THizEZQDZPhBs7xLZbxu9PQIokTI5sCIQDv
AlfMALv2OBOFziuCr5XxjEGhIUJlQemZvputejC7uQ==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgI06OzL9/1JgpfLTy
HP2WJVhjK/ceOtEICdEpkcWDIRqhRANCAARTaeI0iEQNhDByAaC0LOEQ/wQ0k5Ts
CsSmf420HJ7biQNchaR5ycuPszZD/XCiBLkTu0aE5efpaXhQFvh0sPur
-----END PRIVATE KEY-----
`,
};

/** For `elsewhere.example`, trusted along with it. */
export const certificateOfAnother = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBrTCCAVOgAwIBAgIUVt7oABmHvHNBL+e7Xz9nNsqPj48wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRZWxzZXdoZXJlLmV4YW1wbGUwIBcNMjYxMTIyMjIwMTMzWhgP
MjEyNjEwMjkyMjAxMzNaMBwxGjAYBgNVBAMMEWVsc2V3aGVyZS5leGFtcGxlMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMuvWSUzBtr3ZGuM3HSF7UWmKta/XeRVM
jKvJmNU/BSdSTiRA7jgJMor6j3h2dQ4Wsw2hVSwzxiyvMef3tfth0aNxMG8wHQYD
VR0OBBYEFO72OUZ++SEASyc73iFn7ZmeXEDmMB8GA1UdIwQYMBaAFO72OUZ++SEA
Syc73iFn7ZmeXEDmMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRZWxzZXdo
ZXJlLmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIhAK55jzZQe4fnKqdLChFYSlFa
J3emvVbwIecl0SyQw2JNAiBLI1McdJexR/O2quE1AKSQLxfLZdH0rUpCiFSVMc5m
Mg==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgs8JyAur7T5kWpBMi
Ot+ki+9QZ22qkAshzBhbu8YSDDahRANCAAQy69ZJTMG2vdka4zcdIXtRaYq1r9d5
FUyMq8mY1T8FJ1JOJEDuOAkyivqPeHZ1DhazDaFVLDPGLK8x5/e1+2HR
-----END PRIVATE KEY-----
`,
};

/** For `localhost`, never trusted. */
export const untrustedCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUAocdP6dyJ3u8kgEgCruWuuQNXuIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjIyMDEzM1oYDzIxMjYxMDI5
MjIwMTMzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATQqiGRWsrWSMlUuf8DgJxDzRegbWhRTOC7+A9lGXl7tmlBLGOibhgP
FJqhpw34w9RjrVhyGvZmoLpd0gvvBSk9o28wbTAdBgNVHQ4EFgQUvU26kdwOwY6n
O5KhqBSyNQm/tqowHwYDVR0jBBgwFoAUvU26kdwOwY6nO5KhqBSyNQm/tqowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgA0bz+T0vTkO4xErwGnGwWR3bAx1gCS1p77b/QBYj/UkCIENJ
HcqtXy5HDHTjNWw/bR6eBxi3JkR9qtMZK2SLUXfb
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6lyETfe27TuKoBtm
vPIqEjVzByyAbEJLGwrKxcPBTuGhRANCAATQqiGRWsrWSMlUuf8DgJxDzRegbWhR
TOC7+A9lGXl7tmlBLGOibhgPFJqhpw34w9RjrVhyGvZmoLpd0gvvBSk9
-----END PRIVATE KEY-----
`,
};

/** Makes this process trust the certificates. */
export const trustTestCertificate = (): void =>
  setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert, certificateOfAnother.cert]);
