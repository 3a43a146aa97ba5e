{{- define "payments.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "payments.selector" -}}
app.kubernetes.io/name: payment-sessions
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "payments.labels" -}}
{{ include "payments.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "payments.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* Settings that instances and migrations share. */}}
{{- define "payments.env" -}}
- { name: SERVICE_ENVIRONMENT, value: production }
- { name: DATA_DIR, value: /tmp/data }
- { name: PUBLIC_URL, value: {{ .Values.settings.publicUrl | quote }} }
- { name: LOG_LEVEL, value: {{ .Values.settings.logLevel | quote }} }
- { name: DATABASE_URL_FILE, value: /run/secrets/payments/database-url }
- { name: MASTER_KEYS_FILE, value: /run/secrets/payments/master-keys }
- { name: OPERATOR_KEY_FILE, value: /run/secrets/payments/operator-key }
{{- end }}

{{- define "payments.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "payments.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The named keys of the Secret, as files that only the service reads. */}}
{{- define "payments.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.secrets.name }}
    defaultMode: 0440
    items:
      {{- range .keys }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
- name: tmp
  emptyDir: { sizeLimit: {{ .root.Values.tmpSize }} }
{{- end }}
