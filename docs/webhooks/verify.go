// Verifies a webhook in Go (no modules). Try it: SECRET=… SIGNATURE=… go run verify.go < body
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// IsFromPaymentService takes the request's raw bytes, X-Service-Signature and, when present, X-Service-Signature-Previous.
func IsFromPaymentService(secret string, body []byte, signatures ...string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, signature := range signatures {
		if hmac.Equal(expected, []byte(signature)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil || !IsFromPaymentService(os.Getenv("SECRET"), body, os.Getenv("SIGNATURE")) {
		fmt.Println("not genuine")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
